public import Tidelog

/// A schema of this folder, with the models that the plugin generates from it.
public struct ReferenceSchema: Sendable {
    /// The protocols of every generated model.
    public typealias GeneratedModel = Model & Hashable & Codable

    /// The name of the file, without `.graphql`.
    public let name: String
    /// The schema that the generated sources declare.
    public let schema: Schema
    /// The generated models.
    public let models: [any GeneratedModel.Type]

    /// Every schema of this folder.
    public static let all = [
        ReferenceSchema(name: "calendar", schema: .calendar, models: calendar),
        ReferenceSchema(name: "single", schema: .single, models: single),
        ReferenceSchema(name: "local", schema: .local, models: local),
        ReferenceSchema(name: "blog", schema: .blog, models: blog),
        ReferenceSchema(name: "chat", schema: .chat, models: chat),
        ReferenceSchema(name: "defaults", schema: .defaults, models: defaults),
        ReferenceSchema(name: "described", schema: .described, models: described),
        ReferenceSchema(name: "enums", schema: .enums, models: enums),
        ReferenceSchema(name: "hundred", schema: .hundred, models: hundred),
        ReferenceSchema(name: "identities", schema: .identities, models: identities),
        ReferenceSchema(name: "indexes", schema: .indexes, models: indexes),
        ReferenceSchema(name: "keys", schema: .keys, models: keys),
        ReferenceSchema(name: "lengthy", schema: .lengthy, models: lengthy),
        ReferenceSchema(name: "media", schema: .media, models: media),
        ReferenceSchema(name: "people", schema: .people, models: people),
        ReferenceSchema(name: "places", schema: .places, models: places),
        ReferenceSchema(name: "rules", schema: .rules, models: rules),
        ReferenceSchema(name: "scalars", schema: .scalars, models: scalars),
        ReferenceSchema(name: "school", schema: .school, models: school),
        ReferenceSchema(name: "shop", schema: .shop, models: shop),
        ReferenceSchema(name: "stamps", schema: .stamps, models: stamps),
        ReferenceSchema(name: "styles", schema: .styles, models: styles),
        ReferenceSchema(name: "tenants", schema: .ownedByTenants, models: tenants),
        ReferenceSchema(name: "trees", schema: .trees, models: trees),
        ReferenceSchema(name: "wide", schema: .wide, models: wide),
    ]
}

extension ReferenceSchema {
    private static let calendar: [any GeneratedModel.Type] = [Appointment.self]
    private static let single: [any GeneratedModel.Type] = [Single.self]
    private static let local: [any GeneratedModel.Type] = [Draft.self, Letter.self]
    private static let blog: [any GeneratedModel.Type] = [
        Author.self, Blog.self, Comment.self, Post.self, PostTags.self, Summary.self, Tag.self, Volume.self,
    ]
    private static let chat: [any GeneratedModel.Type] = [
        Message.self, Thread.self, User.self, UserThread.self,
    ]
    private static let defaults: [any GeneratedModel.Type] = [
        Defaults.self
    ]
    private static let described: [any GeneratedModel.Type] = [
        Described.self
    ]
    private static let enums: [any GeneratedModel.Type] = [
        Palette.self
    ]
    private static let hundred: [any GeneratedModel.Type] = [
        Hundred00.self, Hundred01.self, Hundred02.self, Hundred03.self, Hundred04.self, Hundred05.self,
        Hundred06.self, Hundred07.self, Hundred08.self, Hundred09.self, Hundred10.self, Hundred11.self,
        Hundred12.self, Hundred13.self, Hundred14.self, Hundred15.self, Hundred16.self, Hundred17.self,
        Hundred18.self, Hundred19.self, Hundred20.self, Hundred21.self, Hundred22.self, Hundred23.self,
        Hundred24.self, Hundred25.self, Hundred26.self, Hundred27.self, Hundred28.self, Hundred29.self,
        Hundred30.self, Hundred31.self, Hundred32.self, Hundred33.self, Hundred34.self, Hundred35.self,
        Hundred36.self, Hundred37.self, Hundred38.self, Hundred39.self, Hundred40.self, Hundred41.self,
        Hundred42.self, Hundred43.self, Hundred44.self, Hundred45.self, Hundred46.self, Hundred47.self,
        Hundred48.self, Hundred49.self, Hundred50.self, Hundred51.self, Hundred52.self, Hundred53.self,
        Hundred54.self, Hundred55.self, Hundred56.self, Hundred57.self, Hundred58.self, Hundred59.self,
        Hundred60.self, Hundred61.self, Hundred62.self, Hundred63.self, Hundred64.self, Hundred65.self,
        Hundred66.self, Hundred67.self, Hundred68.self, Hundred69.self, Hundred70.self, Hundred71.self,
        Hundred72.self, Hundred73.self, Hundred74.self, Hundred75.self, Hundred76.self, Hundred77.self,
        Hundred78.self, Hundred79.self, Hundred80.self, Hundred81.self, Hundred82.self, Hundred83.self,
        Hundred84.self, Hundred85.self, Hundred86.self, Hundred87.self, Hundred88.self, Hundred89.self,
        Hundred90.self, Hundred91.self, Hundred92.self, Hundred93.self, Hundred94.self, Hundred95.self,
        Hundred96.self, Hundred97.self, Hundred98.self, Hundred99.self,
    ]
    private static let identities: [any GeneratedModel.Type] = [
        BehindId.self, DatedById.self, NumberedById.self, SlugKeyed.self, SortedId.self, TextById.self,
        WithoutId.self,
    ]
    private static let indexes: [any GeneratedModel.Type] = [
        Ticket.self
    ]
    private static let keys: [any GeneratedModel.Type] = [
        ClockKeyed.self, ClockSorted.self, DayKeyed.self, DaySorted.self, FlagKeyed.self, FlagSorted.self,
        IdKeyed.self, IdSorted.self, KindKeyed.self, KindSorted.self, MailKeyed.self, MailSorted.self, ManyKeyed.self,
        MomentKeyed.self, MomentSorted.self, RatioKeyed.self, RatioSorted.self, StampKeyed.self, StampSorted.self,
        TextKeyed.self, TextSorted.self, WholeKeyed.self, WholeSorted.self,
    ]
    private static let lengthy: [any GeneratedModel.Type] = [
        ChildModelWithAnExceedinglyLongNameThatFillsMostOfALine.self,
        ModelWithAnExceedinglyLongNameThatFillsMostOfALine.self,
    ]
    private static let media: [any GeneratedModel.Type] = [
        Artist.self, Film.self,
    ]
    private static let people: [any GeneratedModel.Type] = [
        House.self, Passport.self, Person.self, Plot.self, Profile.self,
    ]
    private static let places: [any GeneratedModel.Type] = [
        Beach.self
    ]
    private static let rules: [any GeneratedModel.Type] = [
        Note.self, Open.self,
    ]
    private static let scalars: [any GeneratedModel.Type] = [
        OptionalScalars.self, RequiredScalars.self, ScalarLists.self,
    ]
    private static let school: [any GeneratedModel.Type] = [
        Attendance.self, Course.self, Student.self, Teaching.self,
    ]
    private static let shop: [any GeneratedModel.Type] = [
        Article.self, Customer.self, Order.self, OrderLine.self,
    ]
    private static let stamps: [any GeneratedModel.Type] = [
        Declared.self, HalfStamped.self, Quiet.self, Renamed.self, Stamped.self, Unstamped.self,
    ]
    private static let styles: [any GeneratedModel.Type] = [
        Snake_Case_Model.self, snake_case_child.self, snake_case_model.self,
    ]
    private static let tenants: [any GeneratedModel.Type] = [
        Badge.self, Contract.self, Crate.self, Depot.self, Tenant.self,
    ]
    private static let trees: [any GeneratedModel.Type] = [
        Employee.self, Forest.self,
    ]
    private static let wide: [any GeneratedModel.Type] = [
        Wide.self
    ]
}
