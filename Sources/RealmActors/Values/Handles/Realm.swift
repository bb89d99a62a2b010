/// An object database: a Sendable handle that any task may use.
///
/// Writes are awaited and serialised; reads are synchronous and never wait. Opening the same path
/// again gives another handle on the same store, which is closed with its last handle.
///
///     let realm = try await Realm.open(.init(path: "kennel.realm", objectTypes: [Dog.self]))
///     try await realm.write { tx in try tx.create(Dog.self, value: ["name": "Rex"]) }
///     for dog in realm.objects(Dog.self) { greet(dog.name) }
public struct Realm: Sendable {
    let handle: any StoreHandle
}

/// The open store behind a handle.
///
/// A protocol, because ``Realm`` is declared in a lower layer than the store: errors contain its
/// versions.
///
/// Only `RealmStore` conforms to it; the cast to that type is unchecked.
protocol StoreHandle: AnyObject, Sendable {}
