public import Foundation
import Storage

/// A property with a minimum and a maximum: numbers and dates.
public protocol AggregatableValue: PersistedValue {
    /// The type of the value without its optional.
    associatedtype AggregateValue: PersistableScalar
    /// The value, nil when it is null.
    var _aggregateValue: AggregateValue? { get }
}

/// A number, which has a sum and an average.
public protocol SummableValue: AggregatableValue {
    /// The type of the sum: `Int` for integers, the type itself for all others.
    associatedtype Sum
    /// The sum from the part of the total that is of this kind.
    static func _sum(_ total: AggregateTotal) -> Sum
}

extension SummableValue where Self: PersistableInteger {
    /// The value.
    public var _aggregateValue: Self? { self }
    /// The integer sum.
    public static func _sum(_ total: AggregateTotal) -> Int { total.clamped }
}

extension Int: SummableValue {}
extension Int8: SummableValue {}
extension Int16: SummableValue {}
extension Int32: SummableValue {}
extension Int64: SummableValue {}
extension UInt8: SummableValue {}
extension UInt16: SummableValue {}
extension UInt32: SummableValue {}

extension Double: SummableValue {
    /// The value.
    public var _aggregateValue: Double? { self }
    /// The sum.
    public static func _sum(_ total: AggregateTotal) -> Double { total.reals }
}

extension Float: SummableValue {
    /// The value.
    public var _aggregateValue: Float? { self }
    /// The sum.
    public static func _sum(_ total: AggregateTotal) -> Float { Float(total.reals) }
}

extension Decimal128: SummableValue {
    /// The value.
    public var _aggregateValue: Decimal128? { self }
    /// The sum.
    public static func _sum(_ total: AggregateTotal) -> Decimal128 { total.decimals }
}

extension Date: AggregatableValue {
    /// The value.
    public var _aggregateValue: Date? { self }
}

extension Optional: AggregatableValue where Wrapped: AggregatableValue & OptionalPersistable {
    /// The value, nil when it is null.
    public var _aggregateValue: Wrapped.AggregateValue? { flatMap { $0._aggregateValue } }
}

extension Optional: SummableValue where Wrapped: SummableValue & OptionalPersistable {
    /// The sum.
    public static func _sum(_ total: AggregateTotal) -> Wrapped.Sum { Wrapped._sum(total) }
}

extension QueryableResults {
    /// The minimum of a property; nil if there is none. Nil and NaN do not count.
    ///
    /// - Complexity: evaluates the query on each call, and iterates over its objects, on the
    ///   caller. An index of the property is not used.
    public func min<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? { extreme(.minimum, keyPath) }

    /// The maximum of a property; nil if there is none. Nil and NaN do not count.
    ///
    /// - Complexity: evaluates the query on each call, and iterates over its objects, on the
    ///   caller. An index of the property is not used.
    public func max<Value: AggregatableValue>(
        of keyPath: KeyPath<Model, Value>
    ) -> Value.AggregateValue? { extreme(.maximum, keyPath) }

    /// The sum of a property: zero if there are no values. Nil and NaN do not count; a sum of
    /// integers is clamped to the range of `Int`.
    ///
    /// - Complexity: evaluates the query on each call, and iterates over its objects, on the
    ///   caller.
    public func sum<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Value.Sum {
        Value._sum(aggregation(keyPath).total())
    }

    /// The average of a property; nil if there is none. Nil and NaN do not count.
    ///
    /// - Complexity: evaluates the query on each call, and iterates over its objects, on the
    ///   caller.
    public func average<Value: SummableValue>(of keyPath: KeyPath<Model, Value>) -> Double? {
        aggregation(keyPath).total().average
    }

    func aggregation<Value>(_ keyPath: KeyPath<Model, Value>) -> ColumnAggregation {
        ColumnAggregation(
            query: _rows.query, path: _plan.path(Tracer.names(of: keyPath)),
            view: _plan.context.view)
    }

    func extreme<Value, Found: PersistableScalar>(
        _ aggregate: CollectionAggregate, _ keyPath: KeyPath<Model, Value>
    ) -> Found? {
        let aggregation = aggregation(keyPath)
        guard let row = aggregation.extreme(aggregate),
            case .value(let column, let schema) = aggregation.path.end
        else { return nil }
        return Found._from(StorableValue(row.cluster.value(column, row.slot, schema)))
    }
}
