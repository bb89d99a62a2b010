/// An object of a `.realm` file has a primary key that exists in the store already.
package struct RealmFileConflict: Error {
    package let className: String
    package let key: StoredValue
}
