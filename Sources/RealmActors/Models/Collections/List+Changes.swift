import Storage

extension List {
    /// Adds an element at the end; an unmanaged object becomes managed with its list.
    public func append(_ element: Element) {
        if let box = place.unmanaged { return box.contents.append(element) }
        place.change(onlyAdding: true) { (managed) throws(RealmError) in
            let stored = try managed.stored(element)
            managed.tree.listAppend(
                contentsOf: [stored], managed.classID, managed.key, managed.column)
        }
    }

    /// Adds elements at the end.
    public func append(contentsOf elements: some Sequence<Element>) {
        let values = Array(elements)
        if let box = place.unmanaged { return box.contents += values }
        place.change(onlyAdding: true) { (managed) throws(RealmError) in
            try elements.requireReadable()
            try List.append(values, managed)
        }
    }

    /// Adds elements at the end.
    public func append(objectsIn elements: some Sequence<Element>) {
        append(contentsOf: elements)
    }

    /// Adds an element before the one at `position`, which may be `count`.
    public func insert(_ element: Element, at position: Int) {
        check(position, upTo: count)
        if let box = place.unmanaged { return box.contents.insert(element, at: position) }
        place.change(onlyAdding: true, upTo: position) { (managed) throws(RealmError) in
            let stored = try managed.stored(element)
            managed.tree.listInsert(
                stored, at: position, managed.classID, managed.key, managed.column)
        }
    }

    /// Adds elements before the one at `position`, which may be `count`.
    public func insert(contentsOf elements: some Collection<Element>, at position: Int) {
        replaceSubrange(position..<position, with: elements)
    }

    /// Replaces the element at `position`.
    public func replace(index position: Int, object element: Element) { set(element, at: position) }

    func set(_ element: Element, at position: Int) {
        check(position, upTo: count - 1)
        if let box = place.unmanaged { return box.contents[position] = element }
        place.change(upTo: position + 1, removing: { _ in CollectionOfOne(position) }) {
            (managed) throws(RealmError) in
            let stored = try managed.stored(element, at: position)
            managed.tree.listSet(
                stored, at: position, managed.classID, managed.key, managed.column)
        }
    }

    /// Replaces the elements of a range by any number of others. Streams report deletions and
    /// insertions.
    public func replaceSubrange(_ range: Range<Int>, with elements: some Collection<Element>) {
        let values = Array(elements)
        check(range)
        if let box = place.unmanaged { return box.contents.replaceSubrange(range, with: values) }
        place.change(upTo: range.upperBound, removing: { _ in range }) {
            (managed) throws(RealmError) in
            try elements.requireReadable()
            // All of them first, so that an error leaves the list unchanged.
            let stored = try List.stored(values, managed)
            let (id, key, column) = (managed.classID, managed.key, managed.column)
            managed.tree.listRemove(at: Array(range), id, key, column)
            for (offset, value) in stored.enumerated() {
                managed.tree.listInsert(value, at: range.lowerBound + offset, id, key, column)
            }
        }
    }

    /// Replaces the elements of a range by any number of others.
    public func replaceSubrange(
        _ range: some RangeExpression<Int>, with elements: some Collection<Element>
    ) {
        replaceSubrange(range.relative(to: self), with: elements)
    }

    /// Replaces all elements by those of a sequence. Streams report deletions and insertions.
    /// Assigning the list to itself has no effect.
    public func assign(_ elements: some Sequence<Element>) {
        if let list = elements as? List, list.isSame(as: self) { return }
        let values = Array(elements)
        if let box = place.unmanaged { return box.contents = values }
        place.change { (managed) throws(RealmError) in
            try elements.requireReadable()
            let stored = try List.stored(values, managed)
            managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
            if stored.isEmpty { return }
            managed.tree.listAppend(
                contentsOf: stored, managed.classID, managed.key, managed.column)
        }
    }

    /// Replaces all elements.
    static func replaceAll(
        by elements: [Element], _ managed: CollectionPlace<[Element]>.Managed
    ) throws(RealmError) {
        // The new elements may come from the list: lists and dictionaries within values are read
        // before the removal, and embedded objects can be stored only after it.
        let areFirst = Element.self == AnyRealmValue.self
        var values: [StoredValue] = []
        if areFirst { values = try stored(elements, managed) }
        managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
        if !areFirst { values = try stored(elements, managed) }
        add(values, managed)
    }

    static func append(
        _ elements: [Element], _ managed: CollectionPlace<[Element]>.Managed
    ) throws(RealmError) {
        add(try stored(elements, managed), managed)
    }

    private static func add(
        _ stored: [StoredValue], _ managed: CollectionPlace<[Element]>.Managed
    ) {
        guard !stored.isEmpty else { return }
        managed.tree.listAppend(
            contentsOf: stored, managed.classID, managed.key, managed.column)
    }

    static func stored(
        _ elements: [Element], _ managed: CollectionPlace<[Element]>.Managed
    ) throws(RealmError) -> [StoredValue] {
        var stored: [StoredValue] = []
        stored.reserveCapacity(elements.count)
        for element in elements {
            stored.append(try managed.stored(element))
        }
        return stored
    }
}
