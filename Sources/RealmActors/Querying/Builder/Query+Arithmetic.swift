import Storage

// Calculations with properties, also across links, and with aggregates. Null gives null; an integer
// overflow or division by zero gives a value that equals nothing, like NaN. Integers are divided as
// Swift divides them.

extension Query where T: PersistableScalar & Numeric {
    /// The sum.
    public static func + (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.add, b.operand) }
    /// The difference.
    public static func - (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.subtract, b.operand) }
    /// The product.
    public static func * (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.multiply, b.operand) }
    /// The quotient.
    public static func / (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.divide, b.operand) }

    /// The sum.
    public static func + (a: Query<T>, b: T) -> Query<T> { a.with(.add, constant(b)) }
    /// The difference.
    public static func - (a: Query<T>, b: T) -> Query<T> { a.with(.subtract, constant(b)) }
    /// The product.
    public static func * (a: Query<T>, b: T) -> Query<T> { a.with(.multiply, constant(b)) }
    /// The quotient.
    public static func / (a: Query<T>, b: T) -> Query<T> { a.with(.divide, constant(b)) }

    /// The sum.
    public static func + (a: T, b: Query<T>) -> Query<T> { b.with(a, .add) }
    /// The difference.
    public static func - (a: T, b: Query<T>) -> Query<T> { b.with(a, .subtract) }
    /// The product.
    public static func * (a: T, b: Query<T>) -> Query<T> { b.with(a, .multiply) }
    /// The quotient.
    public static func / (a: T, b: Query<T>) -> Query<T> { b.with(a, .divide) }

    private static func constant(_ value: T) -> QueryOperand { .constant(value._storable.value) }

    private func with(_ value: T, _ operation: ArithmeticOperator) -> Query<T> {
        Query(.arithmetic(Self.constant(value).calculated(operation, operand)))
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric {
    /// The sum.
    public static func + (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.add, b.operand) }
    /// The difference.
    public static func - (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.subtract, b.operand) }
    /// The product.
    public static func * (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.multiply, b.operand) }
    /// The quotient.
    public static func / (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.divide, b.operand) }

    /// The sum.
    public static func + (a: Query<T>, b: T.QueryWrapped) -> Query<T> {
        a.with(.add, .constant(b._storable.value))
    }
    /// The difference.
    public static func - (a: Query<T>, b: T.QueryWrapped) -> Query<T> {
        a.with(.subtract, .constant(b._storable.value))
    }
    /// The product.
    public static func * (a: Query<T>, b: T.QueryWrapped) -> Query<T> {
        a.with(.multiply, .constant(b._storable.value))
    }
    /// The quotient.
    public static func / (a: Query<T>, b: T.QueryWrapped) -> Query<T> {
        a.with(.divide, .constant(b._storable.value))
    }
}

extension Query where T: PersistableScalar & BinaryInteger {
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.remainder, b.operand) }
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T>, b: T) -> Query<T> {
        a.with(.remainder, .constant(b._storable.value))
    }
    /// The remainder, with the sign of `a`.
    public static func % (a: T, b: Query<T>) -> Query<T> {
        Query(
            .arithmetic(QueryOperand.constant(a._storable.value).calculated(.remainder, b.operand)))
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: BinaryInteger {
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T>, b: Query<T>) -> Query<T> { a.with(.remainder, b.operand) }
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T>, b: T.QueryWrapped) -> Query<T> {
        a.with(.remainder, .constant(b._storable.value))
    }
}

extension Query {
    fileprivate func with(_ operation: ArithmeticOperator, _ other: QueryOperand) -> Query<T> {
        Query(.arithmetic(operand.calculated(operation, other)))
    }
}
