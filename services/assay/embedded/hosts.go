package embedded

import (
	"encoding/xml"
	"net/http"

	"github.com/gofiber/fiber/v3"

	"github.com/assay-project/assay/pkg/web"
)

// addressedTo rejects requests for other hosts, which a web page can send using DNS rebinding.
func addressedTo(hosts web.Hosts) fiber.Handler {
	type misdirected struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
		Message string
	}
	return func(ctx fiber.Ctx) error {
		host := string(ctx.Request().Header.Host())
		if hosts.Allow(host, ctx.RequestCtx().LocalAddr()) {
			return ctx.Next()
		}
		return ctx.Status(http.StatusMisdirectedRequest).XML(misdirected{Code: "MisdirectedRequest", Message: web.Misdirected(host)})
	}
}
