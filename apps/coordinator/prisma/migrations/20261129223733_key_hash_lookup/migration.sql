-- CreateIndex
CREATE INDEX "router_api_keys_worker_authority_token_hash_idx" ON "router_api_keys"("worker_authority", "token_hash");
