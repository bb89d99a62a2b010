/// One or more comparisons, all of which hold.
///
/// Two of them are stored inline: allocating an array for each query costs measurably in look-ups.
struct ComparisonList: RandomAccessCollection, Sendable {
    private let head: ValueComparison
    private var next: ValueComparison?
    /// Nil for none: an empty array, too, is retained and released where this is passed on.
    private var rest: [ValueComparison]?

    init(_ only: ValueComparison) { head = only }

    var startIndex: Int { 0 }
    var endIndex: Int { next == nil ? 1 : 2 + (rest?.count ?? 0) }

    subscript(position: Int) -> ValueComparison {
        if position == 0 { return head }
        if position == 1, let next { return next }
        guard let rest else { preconditionFailure("Position is out of bounds") }
        return rest[position - 2]
    }

    mutating func append(_ comparison: ValueComparison) {
        if next == nil {
            next = comparison
        } else {
            rest = (rest ?? []) + [comparison]
        }
    }

    func appending(_ comparison: ValueComparison) -> ComparisonList {
        var list = self
        list.append(comparison)
        return list
    }

    /// All of them.
    var expression: QueryExpression {
        dropFirst().reduce(head.expression) { .and($0, $1.expression) }
    }
}
