/// An error of an opening that a concurrent writer may have caused.
struct BehindWriterError: Error {
    let cause: StorageError
}
