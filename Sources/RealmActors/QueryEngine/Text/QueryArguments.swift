/// The arguments of a query string, for its placeholders.
struct QueryArguments {
    private let positional: [Any?]
    private let named: [String: Any?]
    /// The number of `%` placeholders that have taken an argument.
    private var taken = 0
    /// The number of positional arguments that were used, by `%` or by their number.
    private var used = 0
    private var usedNames: Set<String> = []
    /// Makes a constant of an argument, whose types are not known here.
    let constant: (Any?) throws(QueryArgumentProblem) -> QueryConstant

    init(
        positional: [Any?], named: [String: Any?],
        constant: @escaping (Any?) throws(QueryArgumentProblem) -> QueryConstant
    ) {
        self.positional = positional
        self.named = named
        self.constant = constant
    }

    /// The next argument in order.
    mutating func next() throws(QueryArgumentProblem) -> Any? {
        guard taken < positional.count else {
            throw QueryArgumentProblem(
                "missing: \(Self.counted(positional.count)) given, and the text takes more")
        }
        taken += 1
        used = max(used, taken)
        return positional[taken - 1]
    }

    /// The argument with this name, or at this position.
    mutating func argument(named name: String) throws(QueryArgumentProblem) -> Any? {
        if let number = Int(isKeyPath(name) ? name.dropFirst() : name[...]) {
            guard positional.indices.contains(number) else {
                throw QueryArgumentProblem(
                    "missing: \(Self.counted(positional.count)) given, of which $0 is the first")
            }
            used = max(used, number + 1)
            return positional[number]
        }
        guard let value = named[name] else {
            throw QueryArgumentProblem("missing: none with the name '\(name)' was given")
        }
        usedNames.insert(name)
        return value
    }

    /// Whether a name represents a key path among the arguments that have none: `K` and a number.
    func isKeyPath(_ name: String) -> Bool {
        name.first == "K" && Int(name.dropFirst()) != nil && named[name] == nil
    }

    /// A sentence about arguments that the text does not use; nil if it uses all.
    var leftover: String? {
        if used < positional.count {
            return "\(Self.counted(positional.count)) given, and the text takes \(used)."
        }
        let unused = named.keys.filter { !usedNames.contains($0) }.sorted()
        return unused.first.map { "The argument '\($0)' does not occur in the text." }
    }

    private static func counted(_ count: Int) -> String {
        count == 1 ? "1 argument was" : "\(count) arguments were"
    }
}
