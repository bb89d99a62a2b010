#if THREAD_SANITIZER
    import Storage

    /// Chooses the mutex that Thread Sanitizer can see, in tests too.
    typealias Mutex = Storage.Mutex
#endif
