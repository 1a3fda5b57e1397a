/// Keys that were made for these tests and open nothing.
package enum TestKeys {
    package static let apple = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmtWMkuiMaNjOcF+H
        S7HXtt0U59OGEWlpqjEFkap90MihRANCAATGrleHhXetIYopf9aypYsijExaG8CG
        KvF5sGZyR9h6R7xVqXmBVX/cxIg7YHlgoK8pe47FFjkoftvWA0V4LWig
        -----END PRIVATE KEY-----
        """

    package static let google = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC5k5eGLRMHJo4V
        svpOlN2KfQevxtio8aIJts43L5H+7Pj8D1kff+j4mE9dNK8PClo7sP71B3XvYi8+
        yccYE2tLihow6RqEyYZrxFqzOlqa164/0HUKCUX9Ing6XUG/r23mmN7q2ZM3CnER
        XpItGXBwyHAwAsepe/NkRy15DDo4VOU20JknYeWjZXMOiIlq0kbJVH3MDjp91lvy
        Af7MQFqMH/0QPSq1aP05cxgKQ0pO/tNrCkVOnR5wRjKV8Nf+NiCLFp0ZJk5BurVA
        6qt1rzz5kMHkUUtibLfaE2EdTVnK07QWj9zq6zz0I2ub0wTkwmdzLBA0i7UeYkp/
        MG+c6NEjAgMBAAECggEAG922xhYkolE+yrFadsxRzAbkTZfNVukZzN2fb5f8E0yg
        QrFHT7yUTigI2tUbaGXEkOwODNs28WBL+eCwvcPEu84cCrYmHkRoo+wTNpCPpGq4
        pqp1uLEVymIPravtQIxmM1dHOfq76Wru+Y2643zLbpQajIsOUjvjm244vNGCOIz8
        p1O0P/0kR4GknY8Xi/qwxydeVgWilwjXmyXyaSkVQqcEM1D0uswNuAwkpisnQ43r
        Z3w5gAkg7YNLGyevux+J3doC/zWtUbQ35GDcDwZQOPPc/GlwVzOiGaBWHC1Hlw3Q
        ATI1q1VvDBpiaDteOp3FTV/nFDazIPSc2dqDRH6mQQKBgQD/oxcRCvNjV2rAlOuE
        d5HSb2j5bUAXEkpfiDA5xyF2sg8A52+i8qiP98phYGPRVVKQrRiEM6mMq9LOAw2j
        8FR164gUjgU1/8tVkdcHlcop+MmT/ZHjzfcYvpl27oC+tLe73VV8cZoDv1Ng4GPt
        7tMZkOhMxVPYBxEdRKPD+SYNwwKBgQC51wnmFIoTkOQxNUh/k5fx0agnsx25XwXl
        KE2AeKkJlBUf/1vtevxZRoBL1/K8xj08VQPcNGcEzxWmUxTdxaJ6zNLZXK1sqW3j
        dA7rmN4zQMTxmDo/UfgmZbvXE1GX7hb/3w8r9ts3PcawlDYU9UIo44IN4eRZ3IHN
        GKTwIiMZIQKBgFghn9guUE6VWqZeMPwQROOpqSUktw29LorU5ttkfXLwXB/Rqjkh
        M1++67S6iG8o3TgnlOYu8Wsf6aNAhjlYp6Wnt9huRfmh4DX1+44P5AyoSsaMivlg
        jqmnPD02aIhWwWkxG0G14IUeNt6VPZ5P0dNkk9Gzzf4SIaJXgaYUhTwFAoGAMsoR
        W38riVNk+gnc6Xj14tHwygDK09mja9CK9dyEHikJaPhKMGoXQ3LgJ1o6bdsj6zQ0
        3N65dPf/q7gzELUtxa/qxBrvDq5zaOFUHpFl0M4XxQtch+eoER5mqs4N057vTDiz
        FcneeYd5oNKwwSOSVEhxR8f/t4trMhlVIofB3eECgYEAqiK74Gw3Af+tPfSIgbFD
        PBYYCdX170ZXYdjY0/owaVi1HdC+a+L45sinXCywNV1WvXpr3vHKcs81ejjVYsh9
        vBBh/PZBwj60cFtWRvr4k1SC41HiTzdKUiY7ShUu4/Ws3Gfyuc2ZUQrRVyEOydGd
        n9x9zKJW60+I0Wvhiw6IZsA=
        -----END PRIVATE KEY-----
        """

    package static func serviceAccount(tokenURL: String) -> String {
        let key = google.split(separator: "\n").joined(separator: "\\n")
        return """
            {"type":"service_account","project_id":"shop","private_key_id":"1","client_email":"push@shop.example",
            "private_key":"\(key)\\n","token_uri":"\(tokenURL)"}
            """
    }
}
