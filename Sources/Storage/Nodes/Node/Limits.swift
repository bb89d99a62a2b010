/// Published limits of the format.
package enum Limits {
    package static let classes = 4096
    package static let columns = 1024
    /// Bytes of one text or data value: a node that holds more could not be read again.
    package static let valueBytes = NodeImage.lengthMax - Blob.dataOffset
    /// Bytes of one commit's record.
    package static let recordBytes = Int(UInt32.max)
}
