/// One entry of an index: the key of a value and the row that has it.
struct IndexEntry: Equatable {
    var key: UInt64
    var row: Int64
}
