import Testing
import TidelogModelgen
import TidelogSDL

@Suite("The options file of a schema")
struct OptionsFileTests {
    private func options(_ text: String) throws -> SwiftSource.Options {
        var options = SwiftSource.Options(schemaFile: "blog.graphql", schemaName: "blog")
        try options.set(by: Array(text.utf8))
        return options
    }

    @Test("an options file has its schema's path, with the extension modelgen")
    func path() {
        #expect(SwiftSource.Options.path(besideSchemaAt: "a/blog.graphql") == "a/blog.modelgen")
        #expect(SwiftSource.Options.path(besideSchemaAt: "blog.sdl") == "blog.sdl.modelgen")
    }

    @Test("each line of an options file sets one option, and the other options keep their values")
    func lines() throws {
        var found = try options("# Ours.\r\n\n\taccess :  package \nschema-name:shop")
        #expect(found.access == .package && found.schemaName == "shop")
        found = try options("access: internal\n")
        #expect(found.access == .internal && found.schemaName == "blog")
        found = try options("")
        #expect(found.access == .public && found.schemaName == "blog" && found.registration == nil)
        found = try options("registration: AmplifyModels")
        #expect(found.registration == "AmplifyModels")
    }

    @Test(
        "a wrong line of an options file is refused, and the error names the wrong place",
        arguments: [
            ("access: open", #"1:9: access is public, package or internal, not "open""#),
            (
                "# é\n schema-name:\t9x",
                "2:15: schema-name takes a name of Swift that begins with a small letter, not \"9x\""
            ),
            (
                "registration: amplifyModels",
                #"1:15: registration takes a name of Swift that begins with a capital letter, not "amplifyModels""#
            ),
            ("access:", #"1:8: access is public, package or internal, not """#),
            ("\n  acces: public", #"2:3: there is no option "acces"; did you mean "access"?"#),
            ("check: yes", #"1:1: there is no option "check""#),
            (": public", #"1:1: there is no option """#),
            ("access internal", #"1:1: expected an option, like "access: internal""#),
            ("access: public\naccess: internal", "2:1: access was said before"),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: SchemaDiagnostic.self) { try options(text) }
        #expect(error?.description == message)
    }

    @Test("an options file that is not UTF-8 is refused")
    func noText() {
        var options = SwiftSource.Options(schemaFile: "blog.graphql")
        let error = #expect(throws: SchemaDiagnostic.self) { try options.set(by: [0x61, 0xFF]) }
        #expect(error?.description == "1:1: the file is not in UTF-8")
    }
}
