import Testing

@testable import TidelogAgreement

@Suite("The operations of a model")
struct ModelOperationTests {
    private static func operations(_ directive: String) -> ModelOperations {
        ModelOperations(model: "Note", directives: ["@auth(rules: [{allow: owner}])", directive])
    }

    @Test("without arguments of @model, every operation has its default name")
    func standard() {
        for directives in [[], ["@model"], ["@model(timestamps: null)"], ["@model(queries: {"], ["@auth(rules: [])"]] {
            let operations = ModelOperations(model: "Note", directives: directives)
            #expect([operations.get, operations.list, operations.sync] == ["getNote", "listNotes", "syncNotes"])
            #expect([operations.create, operations.delete] == ["createNote", "deleteNote"])
            #expect(operations.onUpdate == ["onUpdateNote"] && operations.level == .on)
        }
    }

    @Test("an operation has the name that @model gives it, and null means that there is none")
    func names() {
        let some = Self.operations(
            #"@model(queries: {get: "one", list: null}, mutations: {update: "edit", delete: null}, "#
                + #"subscriptions: {onCreate: ["a", "b"], onUpdate: "c", onDelete: "d", level: public})"#)
        #expect([some.get, some.list, some.sync] == ["one", nil, "syncNotes"])
        #expect([some.create, some.update, some.delete] == ["createNote", "edit", nil])
        #expect([some.onCreate, some.onUpdate] == [["a", "b"], ["c"]] && some.level == .public)
        // Without the mutation there is nothing to subscribe to.
        #expect(some.onDelete.isEmpty)
    }

    @Test("null instead of a group, and the level `off`, mean that the group has no operations")
    func groups() {
        let none = Self.operations("@model(queries: null, mutations: null, subscriptions: null)")
        #expect([none.get, none.list, none.sync, none.create, none.update, none.delete].allSatisfy { $0 == nil })
        for text in [
            "subscriptions: null", "subscriptions: {level: off}", "subscriptions: {onCreate: \"a\", level: off}",
        ] {
            let operations = Self.operations("@model(\(text))")
            #expect(operations.create == "createNote")
            #expect((operations.onCreate + operations.onUpdate + operations.onDelete).isEmpty, "\(text)")
        }
    }

    private static func clash(_ models: (String, String)...) -> ModelOperations.NameClash? {
        ModelOperations.NameClash.first(
            among: models.map { ($0.0, ModelOperations(model: $0.0, directives: ["@model(\($0.1))"])) })
    }

    @Test("models whose plurals are equal clash, unless one of them has other names")
    func plurals() {
        let clash = Self.clash(("Datum", ""), ("Note", ""), ("Data", ""))
        #expect(clash?.models.0 == "Datum" && clash?.models.1 == "Data")
        #expect(clash?.message == "the models Datum and Data both have the query listData")
        #expect(clash?.advice.contains(#"@model(queries: {list: "…", sync: "…"})" on Data"#) == true)
        #expect(Self.clash(("Datum", ""), ("Data", #"queries: {list: "allData", sync: "syncAllData"}"#)) == nil)
        #expect(Self.clash(("Datum", "queries: null"), ("Data", "")) == nil)
    }

    @Test("models that differ in the case of their first letter clash, and so do models with one subscription")
    func letters() {
        #expect(Self.clash(("note", ""), ("Note", ""))?.advice == "rename one of the two models")
        let shared = #"subscriptions: {onCreate: "came", onUpdate: "came"}"#
        #expect(Self.clash(("A", shared)) == nil)
        #expect(
            Self.clash(("A", shared), ("B", shared))?.message == "the models A and B both have the subscription came")
    }
}
