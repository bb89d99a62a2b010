/// One criterion of a sort, bound to a schema.
package struct SortKey: Sendable {
    package let path: ValuePath
    package let ascending: Bool

    package init(path: ValuePath, ascending: Bool) {
        self.path = path
        self.ascending = ascending
    }
}
