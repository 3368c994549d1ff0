locals {
  # The table of photo jobs has provisioned capacity that scales in production, and is billed by request elsewhere.
  provisioned = var.environment == "prod"
}
