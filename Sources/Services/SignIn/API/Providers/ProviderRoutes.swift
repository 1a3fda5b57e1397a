import SwiftletWeb

extension AuthAPI {
    /// Sign-in at other providers by redirect, and the sign-in methods of an account.
    @FunctionBuilder var providerRoutes: [FunctionPart] {
        Get("/v1/authorize", serve(Self.authorize))
        Get("/v1/callback", serve(Self.providerCallback))
        // Apple posts what it has to say.
        Post("/v1/callback", serve(Self.providerCallback))
        Get("/v1/user/identities/authorize", serve(Self.authorizeLinking))
        Delete("/v1/user/identities/:id", serve(Self.unlinkIdentity))
    }
}
