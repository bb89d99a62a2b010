// Not requirements of the protocol, to which lists, sets and maps conform with objects only.

extension List where Element: FrozenElement {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the list is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenList<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension List where Element == AnyRealmValue {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the list is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenList<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension MutableSet where Element: FrozenElement {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the set is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenSet<Element>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension MutableSet where Element == AnyRealmValue {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the set is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenSet<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension Map where Value: FrozenElement {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the map is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenMap<Value>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension Map where Value == AnyRealmValue {
    /// Calls `block` on the main actor with what `changes()` delivers; see
    /// ``ChangeSource/observe(_:)``.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` when the map is unmanaged,
    ///   ``RealmError/invalidated(className:key:)`` when its realm was invalidated.
    public func observe(
        _ block: @escaping MainActorChangeHandler<CollectionChange<FrozenMap<FrozenValue>>>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}
