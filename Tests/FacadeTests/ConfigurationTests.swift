import FaultHarness
import Foundation
import Testing
import TidelogAmplify
import TidelogSynchronization

extension FacadeTests {
    @Suite("Configuring Amplify")
    struct ConfigurationTests {
        private func plugin(_ directory: URL, _ configuration: DataStoreConfiguration = .default) -> AWSDataStorePlugin
        {
            AWSDataStorePlugin(modelRegistration: AmplifyModels(), configuration: configuration, directory: directory)
        }

        @Test("a call before configure fails with notConfigured")
        func early() async throws {
            await Amplify.reset()
            let error = await #expect(throws: DataStoreError.self) { try await Amplify.DataStore.query(Story.self) }
            #expect(error?.code == .notConfigured)
            let changes = Amplify.DataStore.observe(Story.self)
            await #expect(throws: DataStoreError.self) { for try await _ in changes {} }
            #expect(throws: ConfigurationError.self) { try Amplify.configure() }
        }

        @Test(
            "a second configure, a repeated plugin and a plugin after configure are refused, and the store stays open")
        func twice() async throws {
            try await App.local { app in
                #expect(throws: ConfigurationError.self) { try Amplify.configure() }
                #expect(throws: ConfigurationError.self) { try Amplify.add(plugin: AWSAPIPlugin()) }
                try await Amplify.DataStore.save(Story(title: "Tides", stars: 1, state: .out))
                #expect(try await Amplify.DataStore.query(Story.self).count == 1)
            }
            let directory = try TemporaryDirectory("facade")
            try Amplify.add(plugin: plugin(directory.file("store")))
            #expect(throws: ConfigurationError.self) { try Amplify.add(plugin: plugin(directory.file("other"))) }
            await Amplify.reset()
        }

        @Test("if the store cannot be opened, each call fails, and the error handler gets the error once")
        func failure() async throws {
            await Amplify.reset()
            let directory = try TemporaryDirectory("facade")
            let errors = Mutex<[String]>([])
            let file = directory.file("store")
            try Data().write(to: file)
            let handled = AsyncStream<DataStoreError.Code?>.makeStream()
            let configuration = DataStoreConfiguration.custom(errorHandler: { error in
                errors.withLock { $0.append("\(error)") }
                handled.continuation.yield((error as? DataStoreError)?.code)
            })
            try Amplify.add(plugin: plugin(file, configuration))
            try Amplify.configure()
            for _ in 0..<2 {
                await #expect(throws: DataStoreError.self) { try await Amplify.DataStore.query(Story.self) }
            }
            var codes = handled.stream.makeAsyncIterator()
            #expect(await codes.next() != nil)
            #expect(errors.withLock { $0.count } == 1)
            await Amplify.reset()
        }

        @Test("an invalid configuration file is refused with an error that names it, and nothing is configured")
        func file() async throws {
            await Amplify.reset()
            let directory = try TemporaryDirectory("facade")
            let file = directory.file("amplifyconfiguration.json")
            try Data("{}".utf8).write(to: file)
            try Amplify.add(plugin: plugin(directory.file("store")))
            try Amplify.add(plugin: AWSAPIPlugin())
            let error = #expect(throws: ConfigurationError.self) { try Amplify.configure(contentsOf: file) }
            #expect(error?.description.contains("amplifyconfiguration.json") == true)
            let call = await #expect(throws: DataStoreError.self) { try await Amplify.DataStore.query(Story.self) }
            #expect(call?.code == .notConfigured)
            await Amplify.reset()
        }

        @Test("a model registration lists its models, and a registration with another schema has another version")
        func registration() {
            struct Other: AmplifyModelRegistration {
                var schema: Schema { Schema(models: [Story.schema]) }
                var models: [any Model.Type] { [Story.self] }
            }
            #expect(AmplifyModels().version.count == 16)
            #expect(AmplifyModels().version == AmplifyModels().version)
            #expect(AmplifyModels().version != Other().version)
            #expect(
                AmplifyModels().models.map { $0.schema.name }
                    == ["Story", "Remark", "Reader", "Neighbour", "Conversation", "Membership"])
        }
    }
}
