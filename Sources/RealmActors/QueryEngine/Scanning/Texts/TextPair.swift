import Foundation
import Storage

/// A text operator whose argument is another property of the row, or of what it links to.
package struct TextPair: Sendable {
    package let left: ValuePath
    let kind: TextOperator
    package let right: ValuePath
    let options: StringOptions
    /// Whether it must hold for all values that the paths lead to, and not for any of them.
    let isUniversal: Bool

    func holds(_ row: RowLocation, _ view: TreeView) -> Bool {
        isUniversal
            != right.contains(row, view) { value in
                let argument = TextArgument(kind, value, options)
                return left.contains(row, view) { argument.holds($0) != isUniversal }
            }
    }
}

/// A text operator with an argument that is known only now.
private struct TextArgument {
    private let kind: TextOperator
    private let argument: StoredValue
    private let matcher: TextMatcher?

    init(_ kind: TextOperator, _ value: StoredValue, _ options: StringOptions) {
        self.kind = kind
        argument = value
        if case .string(let text) = value {
            matcher = TextMatcher(kind, text, options)
        } else if case .data(let bytes) = value {
            matcher = TextMatcher.of(kind, bytes, options)
        } else {
            matcher = nil
        }
    }

    func holds(_ value: StoredValue) -> Bool {
        if value.isNull || argument.isNull {
            let areBoth = value.isNull && argument.isNull
            return kind.comparisonOfNull.map { $0 == .notEqual ? !areBoth : areBoth } ?? false
        }
        guard let matcher else {
            // Options do not apply to values of any type that are not texts.
            return kind.positive == .equals
                && ValueTest.compare(value, kind.isNegated ? .notEqual : .equal, argument)
        }
        return ValueTest.matchesText(value, matcher) != kind.isNegated
    }
}

extension TextMatcher {
    /// A matcher for bytes; nil where nothing can match. Options treat the bytes as a text, and do
    /// not apply to those that are not one.
    static func of(
        _ kind: TextOperator, _ bytes: Data, _ options: StringOptions
    ) -> TextMatcher? {
        if !options.isEmpty, !kind.takesPattern, let text = String(validating: bytes, as: UTF8.self)
        {
            return TextMatcher(kind, text, options, isOfBytes: true)
        }
        return TextMatcher(kind, bytes)
    }
}
