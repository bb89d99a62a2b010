#if THREAD_SANITIZER
    import Storage

    /// Chooses the mutex that Thread Sanitizer can see.
    typealias Mutex = Storage.Mutex
#endif
