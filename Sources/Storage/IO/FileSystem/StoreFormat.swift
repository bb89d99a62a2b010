/// The format of the files of a store.
package enum StoreFormat {
    /// The format that this library writes, in every file of a store.
    package static let version: UInt32 = 1
}
