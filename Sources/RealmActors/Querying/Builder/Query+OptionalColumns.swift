import Storage

// Comparisons and calculations of an optional property with another property of the same object,
// optional or not. Nil equals nil only; a calculation with nil is nil.

extension Query where T: QueryOptional {
    /// Equals.
    public static func == (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.equal, b) }

    /// Differs; nil differs from every value.
    public static func != (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.notEqual, b) }

    /// Equals.
    public static func == (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.equal, b)
    }

    /// Differs; nil differs from every value.
    public static func != (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.notEqual, b)
    }

    /// Equals.
    public static func == (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.equal, b)
    }

    /// Differs; nil differs from every value.
    public static func != (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.notEqual, b)
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: Comparable {
    /// Is less; nil is not.
    public static func < (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.less, b) }

    /// Is less or equal; nil with nil only.
    public static func <= (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.lessOrEqual, b) }

    /// Is greater; nil is not.
    public static func > (a: Query<T>, b: Query<T>) -> Query<Bool> { a.compare(.greater, b) }

    /// Is greater or equal; nil with nil only.
    public static func >= (a: Query<T>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }

    /// Is less; nil is not.
    public static func < (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.less, b)
    }

    /// Is less or equal; nil is not.
    public static func <= (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.lessOrEqual, b)
    }

    /// Is greater; nil is not.
    public static func > (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.greater, b)
    }

    /// Is greater or equal; nil is not.
    public static func >= (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }

    /// Is less; nil is not.
    public static func < (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.less, b)
    }

    /// Is less or equal; nil is not.
    public static func <= (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.lessOrEqual, b)
    }

    /// Is greater; nil is not.
    public static func > (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.greater, b)
    }

    /// Is greater or equal; nil is not.
    public static func >= (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<Bool> {
        a.compare(.greaterOrEqual, b)
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: Numeric {
    /// The sum.
    public static func + (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<T> {
        calculated(a.operand, .add, b.operand)
    }
    /// The difference.
    public static func - (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<T> {
        calculated(a.operand, .subtract, b.operand)
    }
    /// The product.
    public static func * (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<T> {
        calculated(a.operand, .multiply, b.operand)
    }
    /// The quotient.
    public static func / (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<T> {
        calculated(a.operand, .divide, b.operand)
    }

    /// The sum.
    public static func + (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<T> {
        calculated(a.operand, .add, b.operand)
    }
    /// The difference.
    public static func - (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<T> {
        calculated(a.operand, .subtract, b.operand)
    }
    /// The product.
    public static func * (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<T> {
        calculated(a.operand, .multiply, b.operand)
    }
    /// The quotient.
    public static func / (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<T> {
        calculated(a.operand, .divide, b.operand)
    }

    /// The sum.
    public static func + (a: T.QueryWrapped, b: Query<T>) -> Query<T> {
        calculated(.constant(a._storable.value), .add, b.operand)
    }
    /// The difference.
    public static func - (a: T.QueryWrapped, b: Query<T>) -> Query<T> {
        calculated(.constant(a._storable.value), .subtract, b.operand)
    }
    /// The product.
    public static func * (a: T.QueryWrapped, b: Query<T>) -> Query<T> {
        calculated(.constant(a._storable.value), .multiply, b.operand)
    }
    /// The quotient.
    public static func / (a: T.QueryWrapped, b: Query<T>) -> Query<T> {
        calculated(.constant(a._storable.value), .divide, b.operand)
    }

    fileprivate static func calculated(
        _ a: QueryOperand, _ operation: ArithmeticOperator, _ b: QueryOperand
    ) -> Query<T> {
        Query(.arithmetic(a.calculated(operation, b)))
    }
}

extension Query where T: QueryOptional, T.QueryWrapped: BinaryInteger {
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T>, b: Query<T.QueryWrapped>) -> Query<T> {
        calculated(a.operand, .remainder, b.operand)
    }
    /// The remainder, with the sign of `a`.
    public static func % (a: Query<T.QueryWrapped>, b: Query<T>) -> Query<T> {
        calculated(a.operand, .remainder, b.operand)
    }
    /// The remainder, with the sign of `a`.
    public static func % (a: T.QueryWrapped, b: Query<T>) -> Query<T> {
        calculated(.constant(a._storable.value), .remainder, b.operand)
    }
}
