import Synchronization

/// Keeps an observation alive: changes are delivered until ``invalidate()`` is called or the token
/// is released.
///
/// Tokens can be kept anywhere and invalidated from any task.
public final class NotificationToken: Sendable {
    let delivery: ChangeDelivery

    init(_ delivery: ChangeDelivery) { self.delivery = delivery }

    /// Identifies the observation to a write that is not to notify it, see
    /// ``Realm/write(author:silencing:fileID:line:_:)->_``.
    public var stream: ChangeStreamToken { delivery.stream }

    /// Ends the observation and its subscription at once. After a call on the actor that is
    /// notified, `block` is not called again; when called elsewhere, a call of `block` that has
    /// begun completes.
    public func invalidate() { delivery.end() }

    /// Whether nothing more will be delivered: the token was invalidated, or the stream has ended,
    /// for instance because what was observed was deleted.
    public var isInvalidated: Bool { delivery.isOver }

    /// The error that ended the observation, if the realm failed; otherwise nil.
    public var failure: RealmError? { delivery.failure }

    deinit { delivery.end() }
}
