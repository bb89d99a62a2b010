#if PostgreSQL
    /// A reference that does not keep its object alive.
    struct WeakReference<Object: AnyObject & Sendable>: Sendable {
        weak let object: Object?
    }
#endif
