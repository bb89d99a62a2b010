/// Published limits of the format.
package enum Limits {
    package static let classes = 4096
    package static let columns = 1024
    /// Bytes of one text or data value: the limit of a node's image.
    package static let valueBytes = NodeImage.lengthMax - Blob.dataOffset
    /// Bytes of one commit's record.
    package static let recordBytes = Int(UInt32.max)
}
