"""Passkeys in Chromium with its virtual authenticator: what a page does with our options, and we with its answers."""

import json
import shutil
import ssl
from urllib.parse import parse_qs, quote, urlsplit

import httpx
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions
from selenium.webdriver.support.wait import WebDriverWait

from supabase_client import PASSWORD, address, claims, equal, expect, raw, settings

# As auth-js does it: the options from JSON, the credential to JSON.
HELPERS = """
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
"""

SCRIPT = HELPERS + """
const [email, password, done] = arguments;
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


# In the page that the provider leads back to, with the session in its address.
REGISTER = HELPERS + """
const done = arguments[0];
async function story() {
    const token = new URLSearchParams(location.hash.slice(1)).get("access_token");
    const registration = await ask("/passkeys/registration/options", {}, token);
    const made = await ask("/passkeys/registration/verify",
        {challenge_id: registration.challenge_id, credential: await create(registration.options)}, token);
    const left = await fetch("/auth/v1/logout", {method: "POST", headers: {authorization: "Bearer " + token}});
    return {made, token, left: left.status};
}
story().then(done, error => done({error: String(error)}));
"""

# In a fresh page, which knows nobody.
SIGN_IN = HELPERS + """
const done = arguments[0];
async function story() {
    const request = await ask("/passkeys/authentication/options", {});
    return await ask("/passkeys/authentication/verify",
        {challenge_id: request.challenge_id, credential: await get(request.options)});
}
story().then(done, error => done({error: String(error)}));
"""


def chromium():
    options = Options()
    # The provider's certificate is one of the tests; our server checks it by OUTBOUND_CA_FILE.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--ignore-certificate-errors"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_script_timeout(30)
    return driver


def give_authenticator(driver):
    driver.add_virtual_authenticator(VirtualAuthenticatorOptions(
        protocol=VirtualAuthenticatorOptions.Protocol.CTAP2,
        transport=VirtualAuthenticatorOptions.Transport.INTERNAL,
        has_resident_key=True, has_user_verification=True, is_user_verified=True))


def signs_in_with_a_passkey_in_chromium():
    driver = chromium()
    try:
        driver.get(settings["browser"] + "/health")
        give_authenticator(driver)
        told = driver.execute_async_script(SCRIPT, address(), PASSWORD)
    finally:
        driver.quit()
    expect("error" not in told, told.get("error"))
    expect(told["made"]["id"], "the passkey has no id")
    for session in told["sessions"]:
        equal(claims(session["access_token"])["amr"][0]["method"], "passkey", "the method")
    equal(claims(told["again"]["access_token"])["aal"], "aal2", "the level")


def comes_back_from_a_provider_adds_a_passkey_and_signs_in_with_it():
    provider = settings["provider"]
    web = httpx.Client(verify=ssl.create_default_context(cafile=provider["ca"]))
    person = {"email": "ada@work.example", "email_verified": True, "name": "Ada L."}
    equal(web.put(f"{provider['url']}/users/ada", json=person).status_code, 204, "the status of the new user")
    page = settings["browser"] + "/health"
    driver = chromium()
    try:
        driver.get(f"{settings['browser']}/auth/v1/authorize?provider=keycloak&redirect_to={quote(page, safe='')}")
        expect(driver.current_url.startswith(provider["url"]), f"the browser is at {driver.current_url}")
        field = driver.find_element(By.CSS_SELECTOR, "input[name=sub]")
        field.clear()
        field.send_keys("ada")
        field.submit()
        WebDriverWait(driver, 30).until(lambda driver: driver.current_url.startswith(page))
        members = parse_qs(urlsplit(driver.current_url).fragment)
        expect("access_token" in members, f"it ends at {driver.current_url}")
        give_authenticator(driver)
        told = driver.execute_async_script(REGISTER)
        expect("error" not in told, json.dumps(told))
        equal(told["left"], 204, "the status of signing out")
        equal(raw("GET", "/user", told["token"]).status_code, 403, "the status of a session that is signed out")
        driver.get(page)
        session = driver.execute_async_script(SIGN_IN)
    finally:
        driver.quit()
    expect("error" not in session, json.dumps(session))
    equal(claims(session["access_token"])["amr"][0]["method"], "passkey", "the method")
    equal(session["user"]["id"], claims(told["token"])["sub"], "the account")
    equal(session["user"]["email"], "ada@work.example", "the address")
    equal([identity["provider"] for identity in session["user"]["identities"]], ["keycloak"], "the identities")


STORIES = [
    signs_in_with_a_passkey_in_chromium, comes_back_from_a_provider_adds_a_passkey_and_signs_in_with_it,
]
