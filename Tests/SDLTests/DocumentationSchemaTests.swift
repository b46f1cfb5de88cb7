import Foundation
import SeededNumbers
import Testing
import TidelogGraphQL
import TidelogSDL
import TidelogSchema

/// Every schema that Amplify's documentation has for data modelling is accepted without changes.
@Suite struct DocumentationSchemaTests {
    @Test func `the fixtures exist, and each fixture names its page of the documentation`() {
        #expect(Fixture.valid.count >= 200)
        #expect(Fixture.invalid.count >= 30)
        for fixture in Fixture.valid {
            #expect(fixture.text.hasPrefix("# docs."), "\(fixture.name)")
        }
        for fixture in Fixture.invalid {
            #expect(fixture.lines.dropFirst().first?.hasPrefix("# docs.") == true, "\(fixture.name)")
        }
    }

    @Test(arguments: Fixture.valid)
    func `a documented schema is accepted, and its printed text gives the same schema`(_ fixture: Fixture) throws {
        let schema = try Schema(sdl: fixture.text)
        let again = try Schema(sdl: schema.sdl)
        #expect(again == schema, "\(schema.sdl)")
        #expect(again.sdl == schema.sdl)
    }

    @Test(arguments: Fixture.valid)
    func `no field and no directive of a model gets lost`(_ fixture: Fixture) throws {
        let schema = try Schema(sdl: fixture.text)
        for type in try Document(parsing: fixture.text).typeDefinitions
        where type.kind == .object && type.directives.first(named: "model") != nil {
            let model = try #require(schema.model(named: type.name.value))
            for directive in type.directives where directive.name.value != "model" {
                #expect(model.directives.contains(directive.printed()))
            }
            for field in type.fields {
                if let relation = model.associations.first(where: { $0.name == field.name.value }) {
                    #expect(relation.target == field.type.innermost.value)
                    #expect(relation.directives.count == field.directives.count - 1)
                    continue
                }
                let kept = try #require(model.field(named: field.name.value))
                let interpreted = ["default", "index", "primaryKey"]
                for directive in field.directives where !interpreted.contains(directive.name.value) {
                    #expect(kept.directives.contains(directive.printed()))
                }
                #expect((kept.defaultValue != nil) == (field.directives.first(named: "default") != nil))
            }
            let indexes = type.fields.flatMap { $0.directives.all(named: "index") }
            #expect(model.indexes.count >= indexes.count)
        }
    }

    @Test(arguments: Fixture.valid)
    func `the fields of every relation exist on the side that holds them, with the types of the other side`(
        _ fixture: Fixture
    ) throws {
        let schema = try Schema(sdl: fixture.text)
        for model in schema.models {
            for relation in model.associations {
                let target = try #require(schema.model(named: relation.target))
                #expect(relation.fields.allSatisfy { model.field(named: $0) != nil })
                switch relation.kind {
                case .belongsTo:
                    let types = relation.fields.map { model.field(named: $0)?.type }
                    #expect(types == target.primaryKey.map { target.field(named: $0)?.type })
                case .manyToMany: #expect(schema.model(named: relation.indexOrRelationName ?? "") != nil)
                case .hasMany, .hasOne:
                    guard let name = relation.indexOrRelationName else { continue }
                    let index = try #require(target.indexes.first { $0.name == name })
                    let types = index.fields.prefix(relation.fields.count).map { target.field(named: $0)?.type }
                    #expect(types == relation.fields.map { model.field(named: $0)?.type })
                }
            }
        }
    }

    @Test(arguments: Fixture.invalid)
    func `a schema that the transformer refuses is reported with line, column and correction`(_ fixture: Fixture) throws
    {
        let expected = try #require(fixture.lines.first).dropFirst("# error: ".count)
        let diagnostic = #expect(throws: SchemaDiagnostic.self) { try Schema(sdl: fixture.text) }
        #expect(diagnostic?.description == String(expected))
    }

    @Test(arguments: Fixture.valid)
    func `an unknown directive in a documented schema is refused at its line and column`(_ fixture: Fixture) {
        var checked = 0
        for (number, line) in fixture.lines.enumerated() where !line.hasPrefix("#") {
            guard let place = line.firstRange(of: "@model") else { continue }
            let start = line[..<place.lowerBound]
            var lines = fixture.lines
            lines[number] = Substring("\(start)@modle \(line[place.lowerBound...])")
            let text = lines.joined(separator: "\n")
            let diagnostic = #expect(throws: SchemaDiagnostic.self) { try Schema(sdl: text) }
            let location = "\(number + 1):\(start.utf8.count + 1)"
            #expect(diagnostic?.description == #"\#(location): unknown directive @modle; did you mean "@model"?"#)
            checked += 1
        }
        #expect(checked > 0)
    }

    @Test func `a documented schema with random changes is valid or is refused at one of its lines`() throws {
        var generator = SeededGenerator(3)
        for fixture in Fixture.valid {
            let words = fixture.text.split { " \n".contains($0) }
            for _ in 0..<12 {
                var text = fixture.text
                for _ in 0...generator.below(2) {
                    let place = text.ranges(of: generator.pick(words))
                    guard let range = place.randomElement(using: &generator) else { continue }
                    text.replaceSubrange(range, with: generator.once(in: 3) ? "" : String(generator.pick(words)))
                }
                do {
                    let schema = try Schema(sdl: text)
                    try schema.validate()
                    let again = try Schema(sdl: schema.sdl)
                    #expect(again == schema, "\(fixture.name): \(text)")
                } catch let diagnostic as SchemaDiagnostic {
                    let lineCount = text.split(separator: "\n", omittingEmptySubsequences: false).count
                    if !(1...lineCount).contains(diagnostic.location.line) { Issue.record("\(diagnostic)") }
                }
            }
        }
    }
}
