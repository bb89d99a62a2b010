/// What an opening met beside a writer, which may just have changed it.
struct BehindWriterError: Error {
    let cause: StorageError
}
