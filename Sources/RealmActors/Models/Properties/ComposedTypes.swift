/// The element type of a collection type.
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

/// The wrapped type of an optional type.
protocol OptionalType {
    static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: Any.Type { Wrapped.self }
}
