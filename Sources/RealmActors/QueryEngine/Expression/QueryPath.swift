/// The property names that lead from a row to a value, across links and collections.
package struct QueryPath: Sendable, Hashable {
    package var steps: [String]
    /// The selected elements of collections on the path, in order; empty if whole collections are
    /// used.
    package var elements: [QueryElement]
    /// The quantifier of the values, if the path leads through collections.
    package var quantifier: QueryQuantifier

    package init(
        steps: [String], elements: [QueryElement] = [], quantifier: QueryQuantifier = .unspecified
    ) {
        self.steps = steps
        self.elements = elements
        self.quantifier = quantifier
    }

    package func appending(_ more: [String]) -> QueryPath {
        QueryPath(
            steps: steps.isEmpty ? more : steps + more, elements: elements, quantifier: quantifier)
    }

    /// The path to a part of the collection that this one leads to.
    package func taking(_ part: QueryElement.Part) -> QueryPath {
        var path = self
        path.elements.append(QueryElement(depth: steps.count, part: part))
        return path
    }

    /// The path to another property of the object that this one leads to a property of.
    func replacingLast(with name: String) -> QueryPath {
        QueryPath(steps: steps.dropLast() + [name], elements: elements, quantifier: quantifier)
    }

    /// Whether it leads to a property of the same object.
    func isSibling(of other: QueryPath) -> Bool {
        steps.dropLast() == other.steps.dropLast() && elements == other.elements
            && elements.allSatisfy { $0.depth < steps.count } && !steps.isEmpty
    }

    func with(_ quantifier: QueryQuantifier) -> QueryPath {
        QueryPath(steps: steps, elements: elements, quantifier: quantifier)
    }

    /// The path without its first `count` steps, for a row that these lead to.
    func dropping(_ count: Int) -> QueryPath {
        QueryPath(
            steps: Array(steps.dropFirst(count)),
            elements: elements.map { QueryElement(depth: $0.depth - count, part: $0.part) },
            quantifier: quantifier)
    }

    /// The text in a query: `owner.notes["k"]`.
    package var text: String {
        var text = ""
        for depth in 0...steps.count {
            if depth > 0 { text += (depth > 1 ? "." : "") + steps[depth - 1] }
            for element in elements where element.depth == depth { text += element.part.text }
        }
        return text
    }
}

/// The elements of a collection on a path that are used.
package struct QueryElement: Sendable, Hashable {
    /// The number of names in front of it.
    package let depth: Int
    package let part: Part

    /// A part of a list, a map, or of a value of any type that is one of them.
    package enum Part: Sendable, Hashable {
        /// The value under a key.
        case key(String)
        /// The element at a position; -1 is the last.
        case index(Int)
        /// Every element.
        case all
        /// Every key.
        case keys

        /// Keys are equal when their bytes are, as those of maps: `==` of `String` would equate
        /// different encodings of one character.
        package static func == (a: Part, b: Part) -> Bool {
            switch (a, b) {
            case (.key(let a), .key(let b)): a.utf8.elementsEqual(b.utf8)
            case (.index(let a), .index(let b)): a == b
            case (.all, .all), (.keys, .keys): true
            case (.key, _), (.index, _), (.all, _), (.keys, _): false
            }
        }

        /// Whether there is at most one of it.
        var isSingle: Bool {
            switch self {
            case .key, .index: true
            case .all, .keys: false
            }
        }

        /// Whether it is the element at a position.
        var isPosition: Bool { if case .index = self { true } else { false } }

        var text: String {
            switch self {
            case .key(let key): "['\(key)']"
            case .index(let index): "[\(index)]"
            case .all: "[*]"
            case .keys: ".@keys"
            }
        }
    }
}

/// The quantifier of a condition on the values at a path.
package enum QueryQuantifier: Sendable, Hashable {
    /// Any, but for ranges, in which all values of a collection of values must lie.
    case unspecified
    case any
    /// Every one; also where there is none.
    case all
    case none
}
