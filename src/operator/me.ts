import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Operator } from '../access/operators.ts';
import { OPERATOR_ROLES } from '../core/operator-role.ts';
import { operatorOf } from './authenticate.ts';

/** An operator in answers. */
export const operatorSchema = z
  .object({
    name: z.string(),
    role: z.enum(OPERATOR_ROLES),
    organisations: z.array(z.string()).nullable().describe('The only organisations it sees; null: all.'),
  })
  .meta({ id: 'Operator', examples: [{ name: 'anna', role: 'operator', organisations: null }] });

/** An operator as answers show it. */
export const operatorDocument = ({ name, role, organisations }: Operator): z.infer<typeof operatorSchema> => ({
  name,
  role,
  organisations: organisations === null ? null : [...organisations],
});

/** `GET /api/v1/me`: the operator that asks. */
export function addMeRoutes(app: FastifyInstance): void {
  app.withTypeProvider<ZodTypeProvider>().get(
    '/api/v1/me',
    {
      config: { role: 'viewer', withTemporaryPassword: true },
      schema: {
        operationId: 'getMe',
        summary: 'The operator that asks',
        tags: ['Operators'],
        response: { 200: operatorSchema },
      },
    },
    (request) => operatorDocument(operatorOf(request)),
  );
}
