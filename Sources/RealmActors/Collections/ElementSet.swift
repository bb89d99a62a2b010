import Storage

/// The elements of an unmanaged set: each once, as a managed set tells them apart.
struct ElementSet<Element: SetElement> {
    private var values: [Key: Element] = [:]
    /// Objects that had no row when they came, by instance.
    private var instances: [ObjectIdentifier: Element] = [:]

    /// A value as managed sets order it: every NaN is the same.
    private struct Key: Hashable {
        let value: StoredValue

        static func == (a: Key, b: Key) -> Bool { !(a.value < b.value) && !(b.value < a.value) }

        func hash(into hasher: inout Hasher) {
            switch value {
            case .double(let number) where number.isNaN: break
            case .float(let number) where number.isNaN: break
            default: hasher.combine(value)
            }
        }
    }

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    var count: Int { values.count + instances.count }

    var elements: [Element] { Array(values.values) + Array(instances.values) }

    func contains(_ element: Element) -> Bool {
        guard let key = Self.key(element) else {
            return Self.instance(element).map { instances[$0] != nil } ?? false
        }
        if values[key] != nil { return true }
        // One that came without a row may have got one since.
        return instances.values.contains { Element._areSame($0, element) }
    }

    /// Adds an element; false when it is there already.
    @discardableResult
    mutating func insert(_ element: Element) -> Bool {
        if contains(element) { return false }
        if let key = Self.key(element) {
            values[key] = element
        } else if let instance = Self.instance(element) {
            instances[instance] = element
        }
        return true
    }

    /// Removes an element; nil when it is not there.
    @discardableResult
    mutating func remove(_ element: Element) -> Element? {
        guard let key = Self.key(element) else {
            return Self.instance(element).flatMap { instances.removeValue(forKey: $0) }
        }
        if let present = values.removeValue(forKey: key) { return present }
        guard let same = instances.first(where: { Element._areSame($0.value, element) }) else {
            return nil
        }
        return instances.removeValue(forKey: same.key)
    }

    private static func key(_ element: Element) -> Key? {
        Element._storedDirectly(element).map { Key(value: $0.value) }
    }

    private static func instance(_ element: Element) -> ObjectIdentifier? {
        switch element {
        case let object as ObjectBase: ObjectIdentifier(object)
        case AnyRealmValue.object(let object) as AnyRealmValue: ObjectIdentifier(object)
        default: nil
        }
    }
}
