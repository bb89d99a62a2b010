import Storage

extension Map where Key == String {
    /// Sets the value of a key.
    ///
    /// - Returns: the previous value; nil when there was none. An embedded object is invalidated; a
    ///   list or dictionary within a value is a copy.
    @discardableResult
    public func updateValue(_ value: Value, forKey key: String) -> Value? {
        if let box = place.unmanaged, box.nested == nil {
            return box.contents.updateValue(value, forKey: key)
        }
        let old = self[key].map { place.detached($0) }
        set(value, forKey: key)
        return old
    }

    /// Sets the value of a key without reading the previous one.
    func set(_ value: Value, forKey key: String) {
        if let box = place.unmanaged { return box.contents[key] = .some(value) }
        place.change(removing: { CollectionOfOne($0.position(of: key)).compactMap { $0 } }) {
            (managed) throws(RealmError) in
            try Self.check(key)
            let stored = try managed.stored(value, at: managed.position(of: key))
            managed.tree.mapSet(
                stored, forKey: key, managed.classID, managed.key, managed.column)
        }
    }

    /// Sets the value of a key, as by subscript: nil removes its entry.
    public func setValue(_ value: Value?, forKey key: String) { self[key] = value }

    /// Removes the entry of a key, if there is one.
    public func removeObject(for key: String) {
        if let box = place.unmanaged {
            box.contents.removeValue(forKey: key)
        } else {
            remove(CollectionOfOne(key))
        }
    }

    /// Removes the entry of a key, if there is one.
    ///
    /// - Returns: the previous value. An embedded object is invalidated; a list or dictionary
    ///   within a value is a copy.
    @discardableResult
    public func removeValue(forKey key: String) -> Value? {
        let old = self[key].map { place.detached($0) }
        removeObject(for: key)
        return old
    }

    /// Removes the entries that satisfy `predicate`.
    public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
        let keys = try compactMap { try predicate($0) ? $0.key : nil }
        if keys.isEmpty { return }
        if let box = place.unmanaged {
            var contents = box.contents
            for key in keys { contents.removeValue(forKey: key) }
            box.contents = contents
        } else {
            remove(keys)
        }
    }

    /// Removes every entry.
    public func removeAll() {
        if let box = place.unmanaged { return box.contents.removeAll() }
        place.change { (managed) throws(RealmError) in
            managed.tree.mapRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    private func remove(_ keys: some Sequence<String>) {
        place.change(removing: { managed in keys.compactMap { managed.position(of: $0) } }) {
            (managed) throws(RealmError) in
            for key in keys {
                _ = managed.tree.mapRemove(
                    forKey: key, managed.classID, managed.key, managed.column)
            }
        }
    }

    /// Replaces all entries by those of a dictionary.
    public func assign(_ entries: [String: Value]) {
        if let box = place.unmanaged { return box.contents = entries }
        place.change { (managed) throws(RealmError) in
            try Self.replaceAll(by: entries, managed)
        }
    }

    /// Sets the values of the keys of a sequence; `combine` merges a present value with the new
    /// one.
    public func merge(
        _ entries: some Sequence<(key: String, value: Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in Array(entries) {
            if let present = self[key] {
                set(try combine(present, value), forKey: key)
            } else {
                set(value, forKey: key)
            }
        }
    }

    /// Sets the values of the keys of a sequence; `combine` merges a present value with the new
    /// one.
    public func merge(
        _ entries: some Sequence<(String, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(entries.map { (key: $0, value: $1) }, uniquingKeysWith: combine)
    }
}

extension Map where Key == String {
    /// The entries of both as a dictionary; `combine` merges the values of common keys.
    public func merging(
        _ entries: some Sequence<(key: String, value: Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> [String: Value] {
        try dictionary.merging(entries.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// The keys with transformed values.
    public func mapValues<Other>(_ transform: (Value) throws -> Other) rethrows -> [String: Other] {
        try dictionary.mapValues(transform)
    }

    /// The keys with transformed values, without those for which `transform` returns nil.
    public func compactMapValues<Other>(
        _ transform: (Value) throws -> Other?
    ) rethrows -> [String: Other] {
        try dictionary.compactMapValues(transform)
    }

    /// The entries that satisfy `isIncluded`.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> [String: Value] {
        try dictionary.filter { try isIncluded(($0.key, $0.value)) }
    }
}

extension Map {
    /// An unmanaged map of entries whose keys differ.
    public init(uniqueKeysWithValues entries: some Sequence<(String, Value)>) {
        self.init(Dictionary(uniqueKeysWithValues: entries))
    }
}
