import Synchronization

/// Keeps an observation alive: changes are delivered until ``invalidate()`` is called or the token
/// is released.
///
/// Tokens can be kept anywhere and invalidated from any task.
public final class NotificationToken: Sendable {
    let delivery: ChangeDelivery

    init(_ delivery: ChangeDelivery) { self.delivery = delivery }

    /// Names the observation to a write that does not notify it, see
    /// ``Realm/write(author:silencing:fileID:line:_:)->_``.
    public var stream: ChangeStreamToken { delivery.stream }

    /// Ends the observation and its subscription at once. Called on the actor that is notified, no
    /// call comes after this one; called elsewhere, a call that has begun comes to its end.
    public func invalidate() { delivery.end() }

    /// Whether nothing will be delivered any more: invalidated, or what was observed is gone.
    public var isInvalidated: Bool { delivery.isOver }

    /// What the observation ended with, if the realm failed; nil else.
    public var failure: RealmError? { delivery.failure }

    deinit { delivery.end() }
}
