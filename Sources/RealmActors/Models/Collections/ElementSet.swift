import Storage

/// The elements of an unmanaged set, unordered, with the equality of a managed set.
struct ElementSet<Element: SetElement> {
    private(set) var elements: [Element] = []
    /// The identity of each element.
    private var identities: [Identity] = []
    private var positions: [Identity: Int] = [:]
    private var instanceCount = 0

    private enum Identity: Hashable {
        /// A value, compared as in managed sets: equal numbers of all kinds are one element, and so
        /// are all NaN.
        case value(ExactValue)
        /// An object, by its row if it had one when it was inserted; or a collection in a value.
        case object(CopySource)

        var isInstance: Bool { if case .object(.instance) = self { true } else { false } }
    }

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    var count: Int { elements.count }

    func contains(_ element: Element) -> Bool { position(of: element) != nil }

    func position(of element: Element) -> Int? {
        guard let identity = Self.identity(element) else { return nil }
        if let position = positions[identity] { return position }
        if instanceCount == 0 || identity.isInstance { return nil }
        // An object that was inserted without a row may have one since.
        return elements.indices.first {
            identities[$0].isInstance && Element._areSame(elements[$0], element)
        }
    }

    /// Adds an element; false when the set contains it already.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        guard let identity = Self.identity(element), !contains(element) else { return false }
        if identity.isInstance { instanceCount += 1 }
        positions[identity] = elements.count
        identities.append(identity)
        elements.append(element)
        return true
    }

    /// Removes an element, which the last one replaces; nil when it is not in the set.
    @discardableResult
    mutating func remove(_ element: Element) -> Element? {
        guard let position = position(of: element) else { return nil }
        if identities[position].isInstance { instanceCount -= 1 }
        let last = elements.count - 1
        positions[identities[last]] = position
        positions[identities[position]] = nil
        elements.swapAt(position, last)
        identities.swapAt(position, last)
        identities.removeLast()
        return elements.removeLast()
    }

    private static func identity(_ element: Element) -> Identity? {
        // A stored link does not identify its realm.
        if let stored = Element._storedDirectly(element)?.value, stored.family != .link,
            stored.family != .object
        {
            return .value(ExactValue(stored))
        }
        return switch element {
        case let object as ObjectBase: .object(CopySource(object))
        case AnyRealmValue.object(let object) as AnyRealmValue: .object(CopySource(object))
        // Collections with unmanaged objects, which are refused when the set is added.
        case AnyRealmValue.list(let list) as AnyRealmValue: instance(list.place.unmanaged)
        case AnyRealmValue.dictionary(let map) as AnyRealmValue: instance(map.place.unmanaged)
        default: nil
        }
    }

    private static func instance(_ box: AnyObject?) -> Identity? {
        box.map { .object(.instance(ObjectIdentifier($0))) }
    }
}
