// The same server in Go: fasthttp, pgx's connection layer with prepared statements, a router, CORS, an HS256 check,
// tenant-scoped queries and dates normalised while the JSON text is written.
package main

import (
	"bytes"
	"log"
	"os"
	"time"

	"github.com/valyala/fasthttp"
)

func setting(name string) string {
	value, found := os.LookupEnv(name)
	if !found {
		log.Fatalf("%s is not set", name)
	}
	return value
}

var requestIDName = []byte("X-Request-Id")

type server struct {
	tokens   *tokenVerifier
	database *database
	fields   *fasthttp.ResponseHeader
	health   [2][]byte // the answer's text before and after its timestamp
}

func main() {
	before, after := splitAtTimestamp([]byte(setting("HEALTH")))
	application := &server{
		tokens:   newTokenVerifier(setting("JWT_SECRET")),
		database: openDatabase(),
		fields:   commonFields(setting("ALLOWED_ORIGIN")),
		health:   [2][]byte{before, after},
	}
	listener := fasthttp.Server{Handler: application.respond, NoDefaultServerHeader: true}
	log.Fatal(listener.ListenAndServe("127.0.0.1:" + setting("PORT")))
}

func (application *server) respond(context *fasthttp.RequestCtx) {
	application.fields.CopyTo(&context.Response.Header)
	context.Response.Header.SetCanonical(requestIDName, requestID(context.Request.Header.Peek("X-Request-ID")))
	if context.IsOptions() {
		context.SetStatusCode(fasthttp.StatusNoContent)
		return
	}
	name, identifier := route(context.Path())
	switch {
	case len(name) == 0 || string(name) == "health":
		application.answerHealth(context)
	case string(name) == "tasks":
		application.answerTasks(context, identifier)
	default:
		refuse(context, fasthttp.StatusNotFound, "Function not found")
	}
}

func (application *server) answerHealth(context *fasthttp.RequestCtx) {
	body := append([]byte(nil), application.health[0]...)
	body = time.Now().UTC().AppendFormat(body, "2006-01-02T15:04:05Z")
	context.SetBody(append(body, application.health[1]...))
}

func (application *server) answerTasks(context *fasthttp.RequestCtx, identifier []byte) {
	caller, valid := application.tokens.verify(context.Request.Header.Peek("Authorization"))
	if !valid {
		refuse(context, fasthttp.StatusUnauthorized, "Unauthorized")
		return
	}
	if caller.tenant == "" {
		refuse(context, fasthttp.StatusBadRequest, "No tenant ID found")
		return
	}
	var body []byte
	var err error
	switch {
	case context.IsGet() && len(identifier) > 0:
		body, err = application.database.task(caller.tenant, identifier)
	case context.IsGet():
		arguments := context.QueryArgs()
		limit := positive(arguments.GetUintOrZero("limit"), 25, 500)
		page := positive(arguments.GetUintOrZero("page"), 1, 1<<30)
		body, err = application.database.tasks(caller.tenant, limit, page)
	case context.IsPost() && len(identifier) == 0:
		context.SetStatusCode(fasthttp.StatusCreated)
		body, err = application.database.insert(caller, context.PostBody())
	default:
		refuse(context, fasthttp.StatusMethodNotAllowed, "Method not allowed")
		return
	}
	switch {
	case err == errNotFound:
		refuse(context, fasthttp.StatusNotFound, "Not found")
	case err == errInvalid:
		refuse(context, fasthttp.StatusBadRequest, "Invalid body")
	case err != nil:
		log.Print(err)
		refuse(context, fasthttp.StatusInternalServerError, "Internal server error")
	default:
		context.SetBody(body)
	}
}

// Fields that every answer carries, made once and copied into each response.
func commonFields(origin string) *fasthttp.ResponseHeader {
	fields := &fasthttp.ResponseHeader{}
	fields.SetNoDefaultContentType(true)
	fields.SetContentType("application/json; charset=utf-8")
	fields.Set("Access-Control-Allow-Origin", origin)
	fields.Set("Vary", "Origin")
	fields.Set("Access-Control-Allow-Headers",
		"authorization, x-client-info, apikey, content-type, x-tenant-id, x-request-id")
	fields.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS")
	fields.Set("Access-Control-Allow-Credentials", "true")
	fields.Set("Access-Control-Max-Age", "86400")
	fields.Set("Access-Control-Expose-Headers", "x-request-id, content-range, retry-after")
	fields.Set("Cache-Control", "no-store")
	fields.Set("X-Content-Type-Options", "nosniff")
	return fields
}

func refuse(context *fasthttp.RequestCtx, status int, reason string) {
	context.SetStatusCode(status)
	context.SetBodyString(`{"error":"` + reason + `","message":"` + reason + `"}`)
}

// The function's name and what follows it, optional prefixes cut off.
func route(path []byte) (name, rest []byte) {
	for {
		path = bytes.Trim(path, "/")
		cut := bytes.IndexByte(path, '/')
		if cut < 0 {
			return path, nil
		}
		name, rest = path[:cut], path[cut+1:]
		switch string(name) {
		case "api", "v1", "functions":
			path = rest
		default:
			return name, rest
		}
	}
}

func positive(number, otherwise, limit int) int {
	if number <= 0 {
		return otherwise
	}
	if number > limit {
		return limit
	}
	return number
}
