package embedded

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"github.com/gofiber/fiber/v3"
	"github.com/versity/versitygw/s3api/utils"
	"github.com/versity/versitygw/s3err"

	"github.com/assay-project/assay/pkg/web"
)

const (
	// s3MaxSmall is the maximum body size in bytes of requests other than objects and parts. A list
	// of 10,000 parts or 1,000 keys is smaller.
	s3MaxSmall = 8 << 20
	// s3RetryAfter is the Retry-After of 503 responses, in seconds.
	s3RetryAfter = "5"
)

// smallBodies returns a middleware for the bodies that the gateway reads into memory without a
// limit: lists of parts and keys, policies, tags. It reads them itself and counts them in bodies.
// It also adds Retry-After to 503 responses.
func smallBodies(bodies *web.Bodies) fiber.Handler {
	return func(ctx fiber.Ctx) error {
		defer func() {
			if ctx.Response().StatusCode() == http.StatusServiceUnavailable {
				ctx.Set(fiber.HeaderRetryAfter, s3RetryAfter)
			}
		}()
		body, ok := utils.ContextKeyBodyReader.Get(ctx).(io.Reader) // set by publicS3.middleware
		if !ok || isStreamed(ctx) {
			return ctx.Next()
		}
		hold := bodies.Hold()
		defer hold.Release()
		content, err := io.ReadAll(io.LimitReader(hold.Reader(ctx.Context(), body), s3MaxSmall+1))
		refusal := s3err.GetAPIError(s3err.ErrIncompleteBody)
		length := ctx.Request().Header.ContentLength()
		switch {
		case errors.Is(err, web.ErrBodiesFull):
			refusal = s3err.GetAPIError(s3err.ErrSlowDown)
		case len(content) > s3MaxSmall:
			refusal = s3err.GetAPIError(s3err.ErrMaxMessageLengthExceeded)
		case err == nil && len(content) >= length: // length is negative for chunked bodies
			ctx.Request().SetBodyRaw(content)
			return ctx.Next()
		}
		requestID, hostID := utils.EnsureRequestIDs(ctx)
		ctx.Set(fiber.HeaderConnection, "close")
		ctx.Response().Header.SetContentType(fiber.MIMEApplicationXML)
		return ctx.Status(refusal.HTTPStatusCode).Send(refusal.XMLBody(requestID, hostID))
	}
}

// isStreamed reports whether the gateway streams the body: an object, a part or a form with an
// object.
func isStreamed(ctx fiber.Ctx) bool {
	request := ctx.Request()
	switch ctx.Method() {
	case http.MethodPost:
		return bytes.HasPrefix(request.Header.ContentType(), []byte(fiber.MIMEMultipartForm))
	case http.MethodPut:
		_, key, _ := bytes.Cut(bytes.TrimPrefix(request.URI().PathOriginal(), []byte("/")), []byte("/"))
		query := request.URI().QueryArgs()
		return len(key) > 0 && len(request.Header.Peek("X-Amz-Copy-Source")) == 0 &&
			!query.Has("tagging") && !query.Has("retention") && !query.Has("legal-hold") && !query.Has("acl")
	}
	return false
}
