extension FrozenValue: CustomStringConvertible {
    /// The value alone; an object by its primary key, of a collection the first elements.
    public var description: String { text(depth: 0) }
}

extension FrozenValue: BriefDescription {
    func text(depth: Int) -> String { ObjectDescription.text(of: self, depth: depth) }
}

extension ObjectDescription {
    /// A frozen value, as its description has it.
    fileprivate static func text(of value: FrozenValue, depth: Int) -> String {
        switch value {
        case .none: return "nil"
        case .int(let value): return "\(value)"
        case .bool(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return bounded(value, maximumText)
        case .data(let value): return "\(value.count) total bytes"
        case .date(let value): return "\(value)"
        case .uuid(let value): return "\(value)"
        case .object(let value): return name(of: value.object)
        case .objectId(let value): return "\(value)"
        case .decimal128(let value): return "\(value)"
        case .list(let values):
            if depth >= maximumDepth { return "[\(values.count) elements]" }
            return listed(
                values.prefix(maximumElements).map { text(of: $0, depth: depth + 1) },
                of: values.count)
        case .dictionary(let entries):
            if depth >= maximumDepth { return "[\(entries.count) entries]" }
            let shown = entries.keys.sorted().prefix(maximumElements).map { key in
                let value = text(of: entries[key] ?? .none, depth: depth + 1)
                return "\(bounded(key, maximumBrief)): \(value)"
            }
            return listed(shown, of: entries.count)
        }
    }
}
