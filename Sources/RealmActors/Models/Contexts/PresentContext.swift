/// The present context of a live realm, for the contexts that it had before `invalidate()`: an
/// object that is kept from then retains nothing of later ones.
final class PresentContext {
    weak var context: LiveContext?
}
