/// The present context of a live realm, for its contexts from before `invalidate()`. A separate
/// object, so that an old object does not retain the later contexts.
final class PresentContext {
    weak var context: LiveContext?
}
