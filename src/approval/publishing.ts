/**
 * Commands that publish or deploy: a program and the words that follow it, options left out. `a|b` are alternatives; a trailing `*` takes any
 * word that begins so.
 */
const TABLE = `
npm publish|unpublish|deprecate|dist-tag|owner|access
pnpm publish|deploy
yarn publish|deploy
yarn npm publish
bun publish
lerna publish
nx release|deploy|publish
changeset publish
np
semantic-release
release-it
cargo publish|yank|owner
docker push
docker image|manifest|compose push
docker stack deploy
podman push
nerdctl push
helm install|upgrade|uninstall|push|rollback|delete
kubectl apply|delete|create|replace|patch|scale|rollout|edit|drain|set|run|expose|annotate|label|cordon|taint
oc apply|delete|create|replace|patch|scale|rollout
terraform apply|destroy|import|taint|state
tofu apply|destroy|import|taint|state
terragrunt apply|destroy|run-all
pulumi up|destroy|import
twine upload
poetry publish
uv publish
flit publish
hatch publish
pdm publish
gem push|yank
bundle exec release
gh release create|delete|upload|edit
gh repo create|delete|edit|rename|archive
gh pr merge|close|create
gh issue create|close|delete|comment
gh workflow run|enable|disable
gh secret|variable set|delete
gh gist create
glab release create|delete
glab mr merge
vsce publish|unpublish
ovsx publish
mvn deploy|deploy:*|release:*
gradle publish*
gradlew publish*
dotnet nuget push|delete
nuget push|delete
vercel
vc
netlify deploy
firebase deploy
heroku *
fly deploy|launch|destroy|scale
flyctl deploy|launch|destroy|scale
wrangler deploy|publish|delete
railway up|deploy
serverless deploy|remove
sls deploy|remove
sam deploy|delete
cdk deploy|destroy
eb deploy|terminate
gcloud app|run|functions|builds deploy|submit
gcloud deploy
aws s3 rm|mv|sync|cp
aws cloudformation deploy|delete-stack|update-stack|create-stack
aws lambda update-function-code|delete-function
az webapp|functionapp|deployment *
ansible-playbook
cap deploy|production|staging
goreleaser release
surge
ng deploy
expo publish
eas submit|update
pod trunk
luarocks upload
anaconda upload
skaffold run|deploy
argocd app
npm|pnpm|yarn|bun run deploy*|publish*|release*
make|just|task|rake deploy*|publish*|release*
`;

const RULES = TABLE.trim()
  .split('\n')
  .map((line) => line.split(' ').map((word) => word.split('|')));

/** Whether these words (the program, then its operands; options left out) publish or deploy something. */
export function publishes(words: readonly string[]): boolean {
  return RULES.some((rule) => rule.every((choices, index) => choices.some((choice) => fits(choice, words[index]))));
}

function fits(choice: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  return choice.endsWith('*') ? word.toLowerCase().startsWith(choice.slice(0, -1)) : word.toLowerCase() === choice;
}
