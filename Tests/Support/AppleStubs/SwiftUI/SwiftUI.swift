// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of SwiftUI that this package and its examples use, as declarations with the signatures of Apple's SDK. Only tests
// compile this file. They type-check code against it on systems without SwiftUI, and nothing runs it.
@_exported public import Observation

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { stub() }
}

@resultBuilder public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView() }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
        ConditionalContent()
    }
}

extension Optional: View where Wrapped: View {
    public var body: Never { stub() }
}

// MARK: - Properties of views

#if UPDATES_ON_MAIN_ACTOR
    public protocol DynamicProperty { @MainActor mutating func update() }
#else
    public protocol DynamicProperty { mutating func update() }
#endif

extension DynamicProperty {
    public mutating func update() {}
}

@propertyWrapper public struct State<Value>: DynamicProperty {
    public init(wrappedValue: Value) {}
    public init(initialValue: Value) {}
    public var wrappedValue: Value {
        get { stub() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { stub() }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { stub() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> { stub() }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    public var wrappedValue: Value { stub() }
}

extension Environment: Sendable where Value: Sendable {}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { stub() }
        set {}
    }
}

// MARK: - Views

extension View {
    public nonisolated func environment<Value>(
        _ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { Modified() }
    public nonisolated func task(
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { Modified() }
    public nonisolated func searchable(text: Binding<String>) -> some View { Modified() }
    public nonisolated func onChange<Value: Equatable>(
        of value: Value, _ action: @escaping (Value, Value) -> Void
    ) -> some View { Modified() }
    public nonisolated func overlay<Content: View>(@ViewBuilder content: () -> Content) -> some View { Modified() }
    public nonisolated func navigationTitle(_ title: String) -> some View { Modified() }
}

public struct Modified: View {
    nonisolated init() {}
    public var body: Never { stub() }
}

public struct EmptyView: View {
    public nonisolated init() {}
    public var body: Never { stub() }
}

public struct TupleView<Content>: View {
    nonisolated init() {}
    public var body: Never { stub() }
}

public struct ConditionalContent<First, Second>: View {
    nonisolated init() {}
    public var body: Never { stub() }
}

public struct Text: View {
    public nonisolated init(_ text: String) {}
    public var body: Never { stub() }
}

public struct ProgressView: View {
    public nonisolated init() {}
    public var body: Never { stub() }
}

public struct Button<Label: View>: View {
    public init(_ title: String, action: @escaping @MainActor () -> Void) where Label == Text {}
    public var body: Never { stub() }
}

public struct HStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { stub() }
}

public struct List<Content: View>: View {
    public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder row: @escaping (Data.Element) -> Row
    ) where Content == ForEach<Data, ID, Row> {}
    public var body: Never { stub() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public var body: Never { stub() }
}

// MARK: - Scenes and previews

@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public enum ScenePhase: Equatable, Sendable {
    case background, inactive, active
}

extension EnvironmentValues {
    public var scenePhase: ScenePhase { stub() }
}

extension Scene {
    public nonisolated func onChange<Value: Equatable>(
        of value: Value, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some Scene { ModifiedScene() }
    public nonisolated func backgroundTask<Request: Sendable, Response: Sendable>(
        _ task: BackgroundTask<Request, Response>, action: @escaping @Sendable (Request) async -> Response
    ) -> some Scene { ModifiedScene() }
}

public struct BackgroundTask<Request, Response> {}

extension BackgroundTask where Request == Void, Response == Void {
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> { BackgroundTask() }
}

public struct ModifiedScene: Scene {
    nonisolated init() {}
    public var body: Never { stub() }
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { stub() }
}

@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Previews { get }
}

/// Ends the process, because nothing runs a stub.
func stub() -> Never { preconditionFailure("this is a declaration for the compiler alone") }
