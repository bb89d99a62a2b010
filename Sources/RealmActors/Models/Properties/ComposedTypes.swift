/// What the types of collections say about their elements.
protocol ElementsType {
    static var element: Any.Type { get }
}

extension List: ElementsType {
    static var element: Any.Type { Element.self }
}

extension MutableSet: ElementsType {
    static var element: Any.Type { Element.self }
}

extension Map: ElementsType {
    static var element: Any.Type { Value.self }
}

/// What an optional type says about what it wraps.
protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
