/// A collection of which elements are missing where its store cannot be read.
protocol StoreCollection {
    /// Throws why a node of the store could not be read; never for an unmanaged collection.
    func requireReadable() throws(RealmError)
}

extension List: StoreCollection {
    func requireReadable() throws(RealmError) { try place.requireReadable() }
}

extension MutableSet: StoreCollection {
    func requireReadable() throws(RealmError) { try place.requireReadable() }
}

extension Map: StoreCollection {
    func requireReadable() throws(RealmError) { try place.requireReadable() }
}

extension LinkingObjects: StoreCollection {
    func requireReadable() throws(RealmError) { try place.requireReadable() }
}

extension Sequence {
    /// Throws why elements are missing, where this is a collection of a store. If that is not the
    /// store that is written, the latter does not know of the failure.
    func requireReadable() throws(RealmError) {
        try (self as? any StoreCollection)?.requireReadable()
    }
}

extension CollectionPlace {
    /// Throws why a node of the store could not be read, of a managed collection.
    func requireReadable() throws(RealmError) {
        try (managed?.owner ?? nested?.root.owner)?._requireReadable()
    }
}
