locals {
  # The table of photo jobs has provisioned capacity that scales in production, and is billed by request elsewhere.
  provisioned = var.environment == "prod"

  # The buckets: the shared one, and those of uploaded and of edited photos.
  buckets = {
    files = lookup(var.bucket_names, "files", "assay-files")
    temp  = lookup(var.bucket_names, "temp", "photoeditor-${var.environment}-temp")
    final = lookup(var.bucket_names, "final", "photoeditor-${var.environment}-final")
  }

  # Clients upload directly to these, which report each upload to the queue.
  uploads = toset(["files", "temp"])

  tags = merge({ Environment = var.environment }, var.tags)
}
