import SwiftletWeb

extension AuthAPI {
    /// Sign-in at other providers by redirect, and the sign-in methods of an account.
    @FunctionBuilder var providerRoutes: [FunctionPart] {
        Get("/v1/authorize", authorize)
        Get("/v1/callback", providerCallback)
        // Apple posts what it has to say.
        Post("/v1/callback", providerCallback)
        Get("/v1/user/identities/authorize", authorizeLinking)
        Delete("/v1/user/identities/:id", unlinkIdentity)
    }
}
