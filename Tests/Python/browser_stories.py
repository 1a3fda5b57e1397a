"""Passkeys in Chromium with its virtual authenticator: what a page does with our options, and we with its answers."""

import shutil

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

from supabase_client import PASSWORD, address, claims, equal, expect, settings

# As auth-js does it: the options from JSON, the credential to JSON.
SCRIPT = """
const [email, password, done] = arguments;
async function ask(path, body, token) {
    const headers = {"content-type": "application/json"};
    if (token) headers.authorization = "Bearer " + token;
    const answer = await fetch("/auth/v1" + path, {method: "POST", headers, body: JSON.stringify(body)});
    const json = await answer.json();
    if (!answer.ok) throw new Error(path + ": " + JSON.stringify(json));
    return json;
}
async function create(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return (await navigator.credentials.create({publicKey})).toJSON();
}
async function get(options) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({publicKey})).toJSON();
}
async function story() {
    const {access_token: token} = await ask("/signup", {email, password});
    const registration = await ask("/passkeys/registration/options", {}, token);
    const made = await ask("/passkeys/registration/verify",
        {challenge_id: registration.challenge_id, credential: await create(registration.options)}, token);
    const sessions = [];
    for (let round = 0; round < 2; round++) {
        const request = await ask("/passkeys/authentication/options", {});
        sessions.push(await ask("/passkeys/authentication/verify",
            {challenge_id: request.challenge_id, credential: await get(request.options)}));
    }
    const factor = await ask("/factors", {factor_type: "webauthn", friendly_name: "key"}, token);
    const first = await ask(`/factors/${factor.id}/challenge`, {}, token);
    const raised = await ask(`/factors/${factor.id}/verify`, {challenge_id: first.id, webauthn: {type: "create",
        credential_response: await create(first.webauthn.credential_options.publicKey)}}, token);
    const second = await ask(`/factors/${factor.id}/challenge`, {}, raised.access_token);
    const again = await ask(`/factors/${factor.id}/verify`, {challenge_id: second.id, webauthn: {type: "request",
        credential_response: await get(second.webauthn.credential_options.publicKey)}}, raised.access_token);
    return {made, sessions, again};
}
story().then(done, error => done({error: String(error)}));
"""


def signs_in_with_a_passkey_in_chromium():
    options = Options()
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        driver.set_script_timeout(30)
        driver.get(settings["browser"] + "/health")
        driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
            protocol=VirtualAuthenticatorOptions.Protocol.CTAP2,
            transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
            has_resident_key=True, has_user_verification=True, is_user_verified=True))
        told = driver.execute_async_script(SCRIPT, address(), PASSWORD)
    finally:
        driver.quit()
    expect("error" not in told, told.get("error"))
    expect(told["made"]["id"], "the passkey has no id")
    for session in told["sessions"]:
        equal(claims(session["access_token"])["amr"][0]["method"], "passkey", "the method")
    equal(claims(told["again"]["access_token"])["aal"], "aal2", "the level")


STORIES = [signs_in_with_a_passkey_in_chromium]
