import Storage

extension ValueConversion {
    /// A value, in which `create` replaces the objects by copies.
    func own(_ value: AnyRealmValue) throws(RealmError) -> AnyRealmValue {
        guard isManaged || thawing != nil else { return value.unmanagedCopy }
        var value = value
        if value.hasContents { _ = try replaceObjects(in: &value, depth: 0) }
        return value
    }

    /// Replaces objects that must not be linked themselves. False if there are none: the value is
    /// then not changed, and lists that were read from it remain valid.
    private func replaceObjects(
        in value: inout AnyRealmValue, depth: Int
    ) throws(RealmError) -> Bool {
        guard depth <= StoredValue.nestingMax else { throw StoredValue.nestsTooDeep }
        var isReplaced = false
        switch value {
        case .object(let object):
            let linked: Object
            if let dynamic = object as? DynamicObject {
                // An object without a row here is refused when it is linked.
                linked = (graph ?? thawing)?.thawed(dynamic) ?? dynamic
            } else {
                linked = try own(object)
            }
            isReplaced = linked !== object
            if isReplaced { value = .object(linked) }
        case .list(let list):
            var values = Array(list)
            for position in values.indices where values[position].hasContents {
                let isOther = try replaceObjects(in: &values[position], depth: depth + 1)
                isReplaced = isReplaced || isOther
            }
            if isReplaced { value = .fromArray(values) }
        case .dictionary(let map):
            var entries = map.dictionary
            for (key, entry) in map.dictionary where entry.hasContents {
                var entry = entry
                guard try replaceObjects(in: &entry, depth: depth + 1) else { continue }
                entries[key] = entry
                isReplaced = true
            }
            if isReplaced { value = .fromDictionary(entries) }
        case .none, .int, .bool, .float, .double, .string, .data, .date, .uuid, .objectId,
            .decimal128:
            break
        }
        return isReplaced
    }
}

/// A frozen value of any type.
protocol FrozenValueErasure {
    /// The value with frozen objects in it.
    var erasedValue: AnyRealmValue { get }
}
