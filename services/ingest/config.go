package ingest

import (
	"errors"

	"github.com/assay-project/assay/pkg/quota"
	"github.com/assay-project/assay/pkg/service"
	"github.com/assay-project/assay/pkg/webhook"
	"github.com/assay-project/assay/services/ingest/notice"
	"github.com/assay-project/assay/services/ingest/receive"
)

// Config contains the settings of ingest.
type Config struct {
	Addr         string `env:"ASSAY_ADDR" envDefault:"127.0.0.1:8081" use:"often" doc:"the address of the HTTP API and the health checks"`
	OperatorAddr string `env:"ASSAY_OPERATOR_ADDR" envDefault:"127.0.0.1:8084" use:"often" doc:"the address of the operator endpoints, such as metrics, dead letters, feed sources and photo providers; they require credentials only with ASSAY_AUTH=token"`

	service.Config
	Notices notice.Config
	Receive receive.Config
	Quotas  quota.Config

	Webhooks webhook.Config

	Areas
}

// HTTPAddr returns the address on which the service listens.
func (c Config) HTTPAddr() string { return c.Addr }

func (c Config) validate() error {
	return errors.Join(c.Notices.Validate(), c.Receive.Validate(), c.Quotas.Validate(), c.Areas.validate())
}
