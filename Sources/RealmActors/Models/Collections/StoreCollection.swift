/// A collection that may lack elements when its store cannot be read.
protocol StoreCollection {
    /// Throws the error of a node that could not be read; never for an unmanaged collection.
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
    /// Throws the read error of a collection's store, of which the store that is written does not
    /// know if it is another one.
    func requireReadable() throws(RealmError) {
        try (self as? any StoreCollection)?.requireReadable()
    }
}

extension CollectionPlace {
    /// Throws the error of a node that could not be read, for a managed collection.
    func requireReadable() throws(RealmError) {
        try (managed?.owner ?? nested?.root.owner)?._requireReadable()
    }
}
